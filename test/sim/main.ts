/**
 * `npm run prove sim`: many runs, each from a seed of its own, with progress and an end in sight; `--seed N` is one of
 * them again, made small and told in full. `--crowd`: several clients, `--shared`: on one server, `--http`: by
 * HTTP, `--upstream`: servers that speak it. What a run is, is run.ts's.
 */
import { parseArgs } from 'node:util';
import { crowdOf } from './crowd.js';
import { guestsOf } from './guests.js';
import { report } from './report.js';
import { run } from './run.js';
import { upstreamsOf } from './upstreams.js';
import { scriptOf } from './script.js';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '2000' },
    events: { type: 'string', default: '200' },
    /** The first seed. */
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    /** With --seed: the whole run, as it is. */
    whole: { type: 'boolean', default: false },
    /** Two to four clients on one project. */
    crowd: { type: 'boolean', default: false },
    /** The same, all served by one lineage. */
    shared: { type: 'boolean', default: false },
    /** Clients come by HTTP, with --shared too. */
    http: { type: 'boolean', default: false },
    /** Servers speak HTTP, and so do most clients. */
    upstream: { type: 'boolean', default: false },
  },
});
const EVERY = 10_000;
const length = Number(values.events);
const isCrowd = values.crowd || values.shared;
const script = (seed: number) =>
  values.upstream
    ? upstreamsOf(seed, length)
    : values.http
      ? guestsOf(seed, length, values.shared)
      : isCrowd
        ? crowdOf(seed, length, values.shared)
        : scriptOf(seed, length);
const kinds = (['upstream', 'http', 'crowd', 'shared'] as const)
  .filter((kind) => values[kind])
  .map((kind) => ` --${kind}`);
const again = (seed: number) => `--seed ${seed} --events ${length}${kinds.join('')}`;
const story = (seed: number) => report(script(seed), again(seed));

if (values.seed === undefined) process.exitCode = await many(Number(values.from), Number(values.runs));
else if (values.whole) {
  const { breach, trace } = await run(script(Number(values.seed)), true);
  console.log(trace.join('\n'));
  console.log(breach === undefined ? 'every promise was kept' : `${breach.promise}: ${breach.text}`);
} else console.log(await story(Number(values.seed)));

async function many(from: number, runs: number): Promise<number> {
  const sums = { requests: 0, generations: 0, reloads: 0 };
  const failed: number[] = [];
  const began = Date.now();
  let told = began;
  for (let done = 1; done <= runs; done++) {
    const seed = from + done - 1;
    const { breach, requests, generations, reloads } = await run(script(seed));
    sums.requests += requests;
    sums.generations += generations;
    sums.reloads += reloads;
    if (breach !== undefined) {
      failed.push(seed);
      console.log(failed.length === 1 ? await story(seed) : `seed ${seed}: ${breach.promise}: ${breach.text}`);
    }
    const now = Date.now();
    if (now - told < EVERY) continue;
    told = now;
    const left = Math.round((((now - began) / done) * (runs - done)) / 1000);
    console.log(`${done} of ${runs} runs, ${failed.length} failed, ${left} s to go`);
  }
  const seconds = Math.round((Date.now() - began) / 1000);
  const { requests, generations, reloads } = sums;
  console.log(
    `${runs} runs in ${seconds} s: ${requests} requests, ${generations} servers, ${reloads} reloads; ${failed.length} failed`,
  );
  return failed.length === 0 ? 0 : 1;
}
