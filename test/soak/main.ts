// `npm run prove soak -- --minutes 10`: four clients, two of them over HTTP, under constant calls while their
// servers are edited, crashed and broken. Prints a line every ten seconds and tables at the end; exits 1 on any
// fault. --upstream: before servers that speak HTTP themselves, one of each kind. --seconds, --seed, --markdown,
// --json; --edit, --crash and --break say how often (ms), --lanes and --pause how much is asked; what follows another
// `--` are options for the proxies: with `--while-reloading serve` it has to find stale answers.

import { parseArgs } from 'node:util';
import { asJson, faultsOf, progressLine, storiesOf, tables } from './report.js';
import { soak } from './run.js';

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '1' },
    seconds: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
    edit: { type: 'string', default: '300' },
    crash: { type: 'string', default: '5000' },
    break: { type: 'string', default: '10000' },
    lanes: { type: 'string', default: '5' },
    pause: { type: 'string', default: '100' },
    markdown: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    upstream: { type: 'boolean', default: false },
  },
});

console.error(`soak: seed ${given.seed}, Node ${process.version}`);
const result = await soak({
  seconds: Number(given.seconds ?? Number(given.minutes) * 60),
  seed: Number(given.seed),
  intervals: { edit: Number(given.edit), crash: Number(given.crash), break: Number(given.break) },
  lanes: Number(given.lanes),
  pause: Number(given.pause),
  options: positionals,
  isUpstream: given.upstream,
  progress: (state) => console.error(`soak: ${progressLine(state)}`),
});
console.log(given.json ? JSON.stringify(asJson(result), undefined, 2) : tables(result, given.markdown));
const found = Object.entries(faultsOf(result));
for (const story of storiesOf(result)) console.error(`soak: ${story}`);
console.error(`soak: ${found.length === 0 ? 'no fault' : found.map(([name, count]) => `${count} ${name}`).join(', ')}`);
process.exitCode = found.length === 0 ? 0 : 1;
