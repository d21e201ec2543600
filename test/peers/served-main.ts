// `npm run prove conformance-http`: the published conformance suites directly against `mcp-hotline serve`, every
// scenario with a reload in its middle and without one, compared with the fixture alone. Prints a table and fails if
// any check came out worse. The suite of the modern era needs Node 22; both are fetched. With --only parts of
// scenarios' names.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { nodeOf, packageOf } from './fetched.js';
import { alone, installed, middle, throughServe } from './served.js';
import type { Check, Outcome, Suite } from './served.js';

const NEWER = '0.2.0-alpha.12';

const { values: options } = parseArgs({
  options: { only: { type: 'string' }, installed: { type: 'boolean', default: false } },
});
const only = options.only?.split(',');

let isWorse = false;
for (const suite of [installed, ...(options.installed ? [] : newer())]) {
  note(`${suite.title}: the fixture alone`);
  const direct = await alone(suite);
  const chosen = direct.filter(({ scenario }) => only?.some((part) => scenario.includes(part)) ?? true);
  const rows = await eachOf(chosen, (one, index) =>
    row(suite, one, index).catch((error: unknown) => noRow(one, error)),
  );
  const head = ['scenario', 'alone', 'serve', 'with a reload'];
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  console.log(`\n${suite.title}\n\n${lines.join('\n')}`);
}
process.exitCode = isWorse ? 1 : 0;

async function row(suite: Suite, direct: Outcome, index: number): Promise<string[]> {
  const { scenario } = direct;
  const served = await throughServe(suite, scenario);
  const reloaded = await throughServe(suite, scenario, middle(served, index));
  note(`${suite.title}: ${scenario}`);
  for (const { checks } of [served, reloaded])
    if (bad(checks).some(({ id }) => !bad(direct.checks).some((known) => known.id === id))) isWorse = true;
  const { message, when } = middle(served, index);
  const place = `${when} message ${message} of ${served.posts}`;
  return [scenario, verdict(direct), verdict(served), `${verdict(reloaded)}, ${place}`];
}

/** What could not be run is no reason to leave out the rest. */
function noRow(direct: Outcome, error: unknown): string[] {
  isWorse = true;
  note(`${direct.scenario}: ${String(error)}`);
  return [direct.scenario, verdict(direct), 'could not be run', 'could not be run'];
}

function bad(checks: readonly Check[]): readonly Check[] {
  return checks.filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO');
}

/** How many of what it calls checks were good; the rest by name, with what it says of them. */
function verdict({ checks }: Outcome): string {
  const judged = checks.filter(({ status }) => status !== 'INFO');
  const failed = bad(checks);
  for (const { id, problem } of failed) note(`${id}: ${problem}`);
  return [
    `${judged.length - failed.length}/${judged.length}`,
    ...failed.map(({ id, status }) => `${id} ${status}`),
  ].join(', ');
}

/** Two at a time: each of them waits most of its time. */
async function eachOf<T, R>(all: readonly T[], work: (one: T, index: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < all.length; index = next++) results[index] = await work(all[index]!, index);
  };
  await Promise.all([worker(), worker()]);
  return results;
}

function newer(): Suite[] {
  const script = join(packageOf('@modelcontextprotocol/conformance', NEWER), 'dist/index.js');
  const node = nodeOf('22');
  const of = (version: string, fixture: Suite['fixture']): Suite => ({
    title: `${NEWER}, ${version}`,
    node,
    script,
    version,
    fixture,
  });
  return [of('2025-11-25', 'conformance'), of('2026-07-28', 'conformance-v2')];
}

function note(words: string): void {
  console.error(`conformance: ${words}`);
}
