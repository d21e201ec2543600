// `npm run bench`: how the proxy compares with no proxy and with a process that only pipes. Prints a table with targets
// and marks; --only <groups>, --quick, --repeats <n>, --json, --markdown, --gateway <supergateway's script>, --guard (a
// short run that fails on gross regressions only).
import { arch, cpus, loadavg, platform } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Sample } from './groups/group.js';
import { grossRegressions, isBelieved, markdown, table, tell, values, type Samples } from './report.js';
import { groups, guarded, rows, type GroupName } from './rows.js';
import { uncertainty } from './stats.js';
import { isScheduledBySession } from './processes.js';
import { makeSureItWatches } from './watching.js';
import { prepareGround, type Ground } from './ways.js';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    guard: { type: 'boolean', default: false },
    gateway: { type: 'string' },
    repeats: { type: 'string' },
    json: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
  },
});
const full = !options.quick && !options.guard;
/** Repeats go on until no ratio is likely to be off by more than this, or there have been enough of them. */
const [LEAST, MOST, PRECISION] = full ? [5, 9, 0.04] : [3, 5, 0.1];
/** For these each repeat takes long, or is many in itself. */
const once = new Set<GroupName>(['idle', 'large-tree', 'growth']);
/** How often the guard tries again before it believes what it sees, and for how long at most, in milliseconds. */
const DOUBTS = 3;
const LONGEST_DOUBT = 40_000;

const ground = await prepareGround(undefined, options.gateway);
// The trees are large: they are not left behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void ground.remove().finally(() => process.exit(1)));
}
try {
  if (options.guard) process.exitCode = await guard(ground);
  else show(await measure(ground, chosen()));
} finally {
  await ground.remove();
}

function chosen(): GroupName[] {
  const all = Object.keys(groups) as GroupName[];
  if (options.only === undefined) return all;
  const wanted = options.only.split(',');
  const unknown = wanted.filter((name) => !(name in groups));
  if (unknown.length > 0) throw new Error(`no group ${unknown.join(', ')}; there are ${all.join(', ')}`);
  return all.filter((name) => wanted.includes(name));
}

async function measure(on: Ground, names: readonly GroupName[]): Promise<Samples> {
  await makeSureItWatches(on);
  const samples: Samples = {};
  for (const name of names) {
    const taken: Sample[] = [];
    const begin = performance.now();
    do taken.push(await groups[name](on, full));
    while (!isEnough(name, taken));
    note(`${name}: ${taken.length} repeats, ${Math.round((performance.now() - begin) / 1000)} s`);
    samples[name] = taken;
  }
  return samples;
}

function isEnough(name: GroupName, taken: readonly Sample[]): boolean {
  if (options.repeats !== undefined) return taken.length >= Number(options.repeats);
  const [least, most] = once.has(name) ? [full ? 3 : 1, full ? 3 : 1] : [LEAST, MOST];
  if (taken.length < least) return false;
  const judged = rows.filter((row) => row.group === name && row.target !== undefined);
  return taken.length >= most || judged.every((row) => uncertainty(values(row, taken)) <= PRECISION);
}

function show(samples: Samples): void {
  const lines = tell(samples);
  const about = {
    node: process.version,
    bySession: isScheduledBySession(),
    system: `${platform()} ${arch()}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
    load: loadavg()[0]?.toFixed(1),
  };
  if (options.json) return console.log(JSON.stringify({ ...about, rows: lines, samples }, null, 2));
  const print = options.markdown ? markdown : table;
  console.log(`Node ${about.node}, ${about.system}; medians of the repeats, their number in brackets\n`);
  console.log(print(lines));
  if (about.bySession && samples['round-trip'] !== undefined)
    note(
      'this kernel makes sessions wait for each other (sched_autogroup), and round trips with them: docs/PERFORMANCE.md',
    );
}

/** Fails only if something is bad every time, and too bad for it to be the work of others on this machine. */
async function guard(on: Ground): Promise<number> {
  await makeSureItWatches(on);
  const samples: Partial<Record<GroupName, Sample[]>> = {};
  for (const name of guarded) samples[name] = [await groups[name](on, false)];
  const begin = performance.now();
  for (let doubt = 0; doubt < DOUBTS && performance.now() - begin < LONGEST_DOUBT; doubt += 1) {
    for (const name of new Set(grossRegressions(samples).map(({ group }) => group))) {
      note(`${name} looks bad: once more`);
      samples[name]!.push(await groups[name](on, false));
    }
  }
  show(samples);
  const found = grossRegressions(samples);
  for (const { text } of found) note(text);
  if (found.length === 0) return 0;
  const busy = await busyWithOthers();
  if (isBelieved(found, busy)) return 1;
  note(`the machine is busy with other things (${Math.round(busy * 100)} %), so this is not taken for a regression`);
  return 0;
}

/** The part of the processors' time that others use: nothing runs for us meanwhile. */
async function busyWithOthers(): Promise<number> {
  const [idle, all] = processorTimes();
  await delay(1500);
  const [idleLater, allLater] = processorTimes();
  return 1 - (idleLater - idle) / (allLater - all);
}

function processorTimes(): [idle: number, all: number] {
  const times = cpus().map((cpu) => cpu.times);
  const all = times.flatMap((each) => Object.values(each));
  return [times.reduce((sum, each) => sum + each.idle, 0), all.reduce((sum, time) => sum + time, 0)];
}

function note(text: string): void {
  process.stderr.write(`bench: ${text}\n`);
}
