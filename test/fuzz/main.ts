/**
 * `npm run prove fuzz -- --minutes N`: lines without end through splitter, scanner and editor, with JSON.parse as the
 * judge. `--seed` runs the same lines again, `--case` one of them, `--line` (base64) any. A difference is printed with
 * the shortest line that shows it.
 */
import { parseArgs } from 'node:util';
import { checkLine, runCase, type Found } from './cases.js';
import { readCorpus } from './corpus.js';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    lines: { type: 'string' },
    seed: { type: 'string' },
    case: { type: 'string' },
    line: { type: 'string' },
  },
});
const seed = Number(options.seed ?? Math.floor(Math.random() * 2 ** 31));
const most = Number(options.lines ?? Infinity);
const until = performance.now() + (options.lines === undefined ? Number(options.minutes) * 60_000 : Infinity);
const PROGRESS = 10_000;
const ENOUGH = 10;

// Most of the lines are refused by JSON.parse, and a trace costs more than the parsing.
Error.stackTraceLimit = 0;
const corpus = readCorpus();
let differences = 0;
if (options.line !== undefined) {
  tell(checkLine(Buffer.from(options.line, 'base64'), seed), '--line');
} else if (options.case !== undefined) {
  tell(runCase(seed, Number(options.case), corpus).found, options.case);
} else {
  for (const { why, line } of corpus) tell(checkLine(line, seed), `corpus, ${why}`);
  run();
}
if (differences === 0) console.log('0 differences');
process.exitCode = differences === 0 ? 0 : 1;

function run(): void {
  console.log(`seed ${seed}, ${corpus.length} lines of corpus, Node ${process.version}`);
  const begin = performance.now();
  let lines = 0;
  let due = begin + PROGRESS;
  for (let number = 1; lines < most && differences < ENOUGH; number++) {
    const outcome = runCase(seed, number, corpus);
    lines += outcome.lines;
    tell(outcome.found, String(number));
    const now = performance.now();
    if (now >= due || now >= until) {
      progress(lines, now - begin);
      due = now + PROGRESS;
    }
    if (now >= until) return;
  }
  progress(lines, performance.now() - begin);
}

function progress(lines: number, ms: number): void {
  const rate = Math.round(lines / (ms / 1000)).toLocaleString('en');
  const count = lines.toLocaleString('en');
  console.log(
    `${Math.round(ms / 1000)} s: ${count} lines, ${rate} lines per second, ${differences} differences, seed ${seed}`,
  );
}

function tell(found: Found | undefined, which: string): void {
  if (found === undefined) return;
  differences++;
  const { check, what, line, least, leastWhat } = found;
  console.log(`difference ${differences} (${check}): ${what}`);
  console.log(`  line of ${line.length} bytes, shrunk to ${least.length}: ${JSON.stringify(least.toString())}`);
  console.log(`  there: ${leastWhat}`);
  console.log(`  again: npm run prove fuzz -- --seed ${seed} --case ${which}, or --line ${least.toString('base64')}`);
}
