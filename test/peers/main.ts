// `npm run prove conformance`: all server scenarios of the published conformance suite, direct, through the proxy, and
// through the proxy with a reload inside of each. Prints a table and fails if any check came out otherwise than without
// the proxy. With --every, each scenario is run once for every message at which its server can be edited.
import { parseArgs } from 'node:util';
import { bundle, conformance, pointsOf } from './conformance.js';
import type { Outcome, Point } from './conformance.js';

const { values: options } = parseArgs({ options: { every: { type: 'boolean', default: false } } });

const server = await bundle();
note('direct');
const direct = await conformance(server, 'direct');
note('through the proxy');
const proxied = await conformance(server, 'proxied');
const all = direct.map(pointsOf);
// One a scenario, and over all scenarios every kind.
const chosen = options.every ? all : all.map((points, at) => [points[at % points.length]!]);
const passes = Math.max(...chosen.map((points) => points.length));
const reloaded: (Outcome & { point: Point })[][] = direct.map(() => []);
for (let pass = 0; pass < passes; pass++) {
  note(`with a reload, ${pass + 1} of ${passes}`);
  const points = chosen.map((of) => of[pass]);
  const outcomes = await conformance(server, points);
  for (const [at, point] of points.entries()) if (point !== undefined) reloaded[at]!.push({ ...outcomes[at]!, point });
}

const rows = direct.map((one, at) => {
  const others = reloaded[at]!.map((other) => `${verdict(other)}, ${place(other.point)}${differs(one, other)}`);
  const withReload = options.every
    ? `${others.filter((words) => !words.includes(':')).length} of ${others.length} the same`
    : others.join();
  return {
    one,
    cells: [one.scenario, verdict(one), verdict(proxied[at]!) + differs(one, proxied[at]!), withReload],
    others,
  };
});
const head = ['scenario', 'direct', 'through the proxy', 'with a reload'];
const lines = [head, head.map(() => '---'), ...rows.map(({ cells }) => cells)].map(
  (cells) => `| ${cells.join(' | ')} |`,
);
console.log(`Node ${process.version}\n\n${lines.join('\n')}`);
const wrong = rows.flatMap(({ cells, others }) => [...cells, ...others]).filter((words) => words.includes(':'));
for (const words of wrong) note(words);
process.exitCode = wrong.length === 0 ? 0 : 1;

/** How many of what it calls checks were good; the rest by name. */
function verdict({ checks }: Outcome): string {
  const judged = checks.filter(({ status }) => status !== 'INFO');
  const bad = judged.filter(({ status }) => status !== 'SUCCESS').map(({ id, status }) => `${id} ${status}`);
  return [`${judged.length - bad.length}/${judged.length}`, ...bad].join(', ');
}

function place({ message, when }: Point): string {
  return `${when} message ${message}`;
}

function differs(one: Outcome, other: Outcome): string {
  if ('point' in other && other.generations < 2) return ': no reload took place';
  const wanted = JSON.stringify(one.checks);
  return JSON.stringify(other.checks) === wanted ? '' : `: ${JSON.stringify(other.checks)} instead of ${wanted}`;
}

function note(words: string): void {
  console.error(`conformance: ${words}`);
}
