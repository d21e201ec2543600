// `npm run prove freshness`: whether any answer is ever older than the last save before its call. Saves and calls at
// once, a thousand times for each kind of save, with events and with polling. --cycles <n>, --kinds <list>, --poll,
// --events.
import type { TestContext } from 'node:test';
import { parseArgs } from 'node:util';
import { project, startProxy } from '../support/harness.js';
import { kinds, saveAndCall, versions, type Kind } from '../support/versions.js';

const { values: options } = parseArgs({
  options: {
    cycles: { type: 'string', default: '1000' },
    kinds: { type: 'string' },
    poll: { type: 'boolean', default: false },
    events: { type: 'boolean', default: false },
  },
});
const wanted = options.kinds?.split(',');
const modes = options.poll === options.events ? ['events', 'poll'] : [options.poll ? 'poll' : 'events'];

let stale = 0;
for (const mode of modes) {
  for (const kind of kinds) {
    if (wanted !== undefined && !wanted.includes(kind)) continue;
    stale += await measure(kind, mode);
  }
}
process.exitCode = stale === 0 ? 0 : 1;

async function measure(kind: Kind, mode: string): Promise<number> {
  const ends: (() => unknown)[] = [];
  const t = { after: (end: () => unknown) => ends.push(end) } as unknown as TestContext;
  try {
    const files = project(t, versions());
    const polling = mode === 'poll' ? ['--poll', '200'] : [];
    const proxy = startProxy(t, {
      options: ['--watch', 'versions', ...polling],
      command: [process.execPath, 'server.mjs'],
      cwd: files.directory,
    });
    await proxy.initialize();
    const begin = performance.now();
    const tally = await saveAndCall(proxy, files, kind, Number(options.cycles));
    const seconds = ((performance.now() - begin) / 1000).toFixed(1);
    console.log(
      `${mode}, saved ${kind}: ${tally.cycles} saves, ${tally.answers} answers, ${tally.stale.length} stale (${seconds} s)`,
    );
    for (const one of tally.stale.slice(0, 5)) console.log(`  asked for ${one}`);
    return tally.stale.length;
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}
