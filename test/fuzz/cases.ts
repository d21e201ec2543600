/**
 * One case of the fuzzer: a line, or some lines in a row, and what is checked of it. The case's number and the run's
 * seed decide all of it. Running many is for main.ts and the test.
 */
import { checkEdit } from './check-edit.js';
import { checkLines } from './check-lines.js';
import { checkScan } from './check-scan.js';
import type { CorpusLine } from './corpus.js';
import { generateLine } from './generate.js';
import { mutate } from './mutate.js';
import { createRandom, mix, type Random } from '../support/random.js';
import { shrink } from './shrink.js';

const checks = { scan: checkScan, edit: checkEdit, lines: checkLines } as const;
type Name = keyof typeof checks;

export interface Found {
  readonly check: Name;
  readonly what: string;
  readonly line: Buffer;
  /** As short as it gets, and what is wrong with that. */
  readonly least: Buffer;
  readonly leastWhat: string;
}

/** How many lines the case had, and what was wrong with it. */
export interface Outcome {
  readonly lines: number;
  readonly found: Found | undefined;
}

/** Every so often the splitter gets a whole run of lines. */
const RUN_OF_LINES = 16;

export function runCase(seed: number, number: number, corpus: readonly CorpusLine[]): Outcome {
  const random = createRandom(mix(seed, number));
  if (number % RUN_OF_LINES !== 0) {
    const line = lineFor(random, corpus);
    return { lines: 1, found: checkBytes(line, ['scan', 'edit'], seed, number) };
  }
  const run = Array.from({ length: 1 + random.below(RUN_OF_LINES) }, () => lineFor(random, corpus));
  return { lines: run.length, found: checkBytes(Buffer.concat(run), ['lines'], seed, number) };
}

/** All checks of one line, without a case. */
export function checkLine(line: Buffer, seed: number): Found | undefined {
  return checkBytes(line, ['scan', 'edit', 'lines'], seed, 0);
}

function lineFor(random: Random, corpus: readonly CorpusLine[]): Buffer {
  const known = (): Buffer => {
    // Long ones take most of the time: less often.
    const { line } = random.pick(corpus);
    return line.length < 1000 || random.once(5) ? line : random.pick(corpus).line;
  };
  const sort = random.below(10);
  if (sort < 6) return generateLine(random);
  const line = sort < 8 ? generateLine(random) : known();
  // Very long ones are run as they are: to spoil them time and again would take all the time.
  return line.length > 20_000 ? line : mutate(line, known, random);
}

function checkBytes(bytes: Buffer, names: readonly Name[], seed: number, number: number): Found | undefined {
  const differenceOf = (check: Name, line: Buffer): string | undefined => {
    try {
      checks[check](line, createRandom(mix(seed, number, check.length)));
      return undefined;
    } catch (error) {
      // Whatever the product throws is a difference too.
      return error instanceof Error ? error.message : String(error);
    }
  };
  for (const check of names) {
    const what = differenceOf(check, bytes);
    if (what === undefined) continue;
    const least = shrink(bytes, (line) => differenceOf(check, line) !== undefined);
    return { check, what, line: bytes, least, leastWhat: differenceOf(check, least) ?? what };
  }
  return undefined;
}
