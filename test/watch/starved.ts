// Run by quiet.test.ts as a process of its own, in an environment that lacks something (inotify watches, file
// descriptors, permissions): watches the directory given, makes one edit, and prints what it saw as JSON.
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openWatch } from '#src/watch/watch.js';

const [dir, mode] = process.argv.slice(2) as [string, string];
const hoard: number[] = [];
if (mode === 'hoard') {
  try {
    for (;;) hoard.push(openSync('/dev/null', 'r'));
  } catch {
    // That was the last one.
  }
}

const warnings: string[] = [];
let settled = (): void => {};
const signal = new Promise<void>((resolve) => (settled = resolve));
const watch = openWatch(
  {
    cwd: dir,
    rules: [{ name: 'main', paths: ['.'] }],
    ignore: [],
    ext: [],
    debounce: 10,
    poll: undefined,
    never: [],
    since: Date.now(),
  },
  {
    onQuiet: settled,
    warn({ code, text }) {
      warnings.push(`${code}: ${text}`);
      for (const file of hoard.splice(0)) closeSync(file);
    },
  },
);
await watch.ready;
const mark = watch.mark();
const late = setTimeout(() => process.exit(3), 20_000);
if (mode !== 'look') {
  writeFileSync(join(dir, 'd3/edited.ts'), 'edited');
  await signal;
}
await watch.check();
clearTimeout(late);
const changes = watch.changedSince(mark).map(({ kind, path }) => `${kind} ${path}`);
process.stdout.write(JSON.stringify({ warnings, changes, polling: watch.needsSweep }));
await watch.close();
