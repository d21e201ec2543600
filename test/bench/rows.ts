// The table: what is told of each group's figures, and with what the benchmark would be content. Pure arithmetic;
// measuring is left to groups/, showing to report.ts.
import type { Group, Sample } from './groups/group.js';
import { firstConnects } from './groups/first-connect.js';
import { gaps } from './groups/gap.js';
import { fileCounts, growth, heldCounts } from './groups/growth.js';
import { httpRoundTrips, httpStarts, httpThroughputs } from './groups/http.js';
import { httpSessions } from './groups/http-sessions.js';
import { idle } from './groups/idle.js';
import { largeTree } from './groups/large-tree.js';
import { notices, reloads } from './groups/reload.js';
import { memory, roundTrip, startUps, throughputs } from './groups/traffic.js';
import { upstreamReloads, upstreamRoundTrips } from './groups/upstream.js';
import type { WayName } from './ways.js';

export const groups = {
  'round-trip': roundTrip,
  throughput: throughputs,
  'start-up': startUps,
  'first-connect': firstConnects,
  memory,
  reload: reloads,
  notices,
  gap: gaps,
  idle,
  'large-tree': largeTree,
  growth,
  http: httpRoundTrips,
  'http-throughput': httpThroughputs,
  'http-start': httpStarts,
  'http-sessions': httpSessions,
  upstream: upstreamRoundTrips,
  'upstream-reload': upstreamReloads,
} as const satisfies Record<string, Group>;

export type GroupName = keyof typeof groups;

/** What --guard looks at: the rest takes too long, or says too little in a short time. */
export const guarded: readonly GroupName[] = [
  'round-trip',
  'throughput',
  'start-up',
  'memory',
  'reload',
  'notices',
  'idle',
];

export interface Row {
  readonly group: GroupName;
  readonly text: string;
  readonly unit: '×' | 'ms' | '%' | 'MB' | '';
  /** What the target is about, from the figures of one repeat; NaN where they tell nothing. Less is better. */
  readonly value: (sample: Sample) => number;
  /** The figures that are shown beside it, by name in the sample and in the table. */
  readonly shown: readonly (readonly [string, string])[];
  readonly target?: number;
  /**
   * What --guard still lets pass: twice the target, or twice what was measured when this was written if that is more.
   */
  readonly guard?: number;
}

const ratio = (sample: Sample, figure: string, to: string): number => (sample[figure] ?? NaN) / (sample[to] ?? NaN);

/** Where noise makes the pipe look faster than nothing at all, there is no ratio. */
function added(sample: Sample, of: string, way: WayName, to: WayName = 'pipe'): number {
  const direct = sample[`${of} direct`] ?? NaN;
  const byPipe = (sample[`${of} ${to}`] ?? NaN) - direct;
  return byPipe > 0 ? ((sample[`${of} ${way}`] ?? NaN) - direct) / byPipe : NaN;
}

const titles: Partial<Record<WayName, string>> = { plain: '--no-reload', watching: '1,000 files watched' };
const shownWays = (of: string, ways: readonly WayName[]): Row['shown'] => ways.map((way) => [`${of} ${way}`, way]);

/** One row for the plain proxy, one for the watching one. */
function each(row: (way: WayName, title: string) => Row): Row[] {
  return (['plain', 'watching'] as const).map((way) => row(way, titles[way] ?? way));
}

function throughputRows(of: string, size: string, target: number, guard: number): Row[] {
  return each((way, title) => ({
    group: 'throughput',
    text: `throughput, ${size}: pipe / proxy, ${title}`,
    unit: '×',
    value: (sample) => ratio(sample, `${of} ${way}`, `${of} pipe`),
    shown: shownWays(of, ['direct', 'pipe', way]).map(([key, name]) => [key, `${name} ms/message`]),
    target,
    guard,
  }));
}

function shownHttp(of: string, way: string): Row['shown'] {
  return ['least', way].map((name) => [`${of} ${name}`, `${name} ms`]);
}

/** Without a target, and without a value if there is no other gateway to measure. */
function gatewayRow(group: GroupName, of: string, text: string): Row {
  const value: Row['value'] = (sample) => ratio(sample, `${of} gateway`, `${of} least`);
  return { group, text, unit: '×', value, shown: [[`${of} gateway`, 'supergateway ms']] };
}

function single(group: GroupName, key: string, text: string, unit: Row['unit'], limits: Partial<Row>): Row {
  return { group, text, unit, value: (sample) => sample[key] ?? NaN, shown: [], ...limits };
}

/** The largest growth from one size to the next, as a part of the growth of the size: 1 is linear. */
function growthRow(of: string, what: string, counts: readonly number[], text: string): Row {
  const key = (count: number): string => `${of} ${count} ${what}`;
  return {
    group: 'growth',
    text,
    unit: '×',
    value: (sample) =>
      Math.max(...counts.slice(1).map((count, i) => (ratio(sample, key(count), key(counts[i]!)) * counts[i]!) / count)),
    shown: counts.map((count) => [key(count), count.toLocaleString('en')]),
    target: 1,
  };
}

export const rows: readonly Row[] = [
  ...each((way, title) => ({
    group: 'round-trip',
    // A server needs a session of its own to be ended with all that it has started (P13): the pipe is to do the same.
    text: `round trip, 200 B, p50: added by the proxy / added by a pipe that gives its server a session of its own, ${title}`,
    unit: '×',
    value: (sample) => added(sample, 'p50', way, 'apart'),
    shown: shownWays('p50', ['direct', 'apart', way]).map(([key, name]) => [key, `${name} ms`]),
    target: way === 'plain' ? 1.15 : 1.4,
    guard: 3.2,
  })),
  ...each((way, title) => ({
    group: 'round-trip',
    text: `… added by the proxy / added by a pipe that does not, ${title}`,
    unit: '×',
    value: (sample) => added(sample, 'p50', way),
    shown: [['p50 pipe', 'such a pipe ms']],
  })),
  {
    group: 'round-trip',
    text: 'round trip, 200 B, p99: added by the proxy / added by the pipe, 1,000 files watched',
    unit: '×',
    value: (sample) => added(sample, 'p99', 'watching'),
    shown: shownWays('p99', ['direct', 'pipe', 'watching']).map(([key, name]) => [key, `${name} ms`]),
  },
  {
    group: 'round-trip',
    text: 'freshness check per request, 1,000 watched files, nothing changed, p50',
    unit: 'ms',
    value: (sample) => (sample['p50 watching'] ?? NaN) - (sample['p50 unchecked'] ?? NaN),
    shown: [
      ['p50 watching', 'with it'],
      ['p50 unchecked', 'without'],
    ],
    target: 0.05,
    guard: 0.2,
  },
  ...throughputRows('small', '200 B pipelined', 1.15, 4.2),
  ...throughputRows('medium', '10 kB', 1.2, 2.8),
  ...throughputRows('large', '1 MB', 1.2, 2.4),
  ...each((way, title) => ({
    group: 'start-up',
    text: `start to the initialize answer: added by the proxy / added by the pipe, ${title}`,
    unit: '×',
    value: (sample) => added(sample, 'start', way),
    shown: shownWays('start', ['direct', 'pipe', way]).map(([key, name]) => [key, `${name} ms`]),
    target: 1.6,
    guard: 3.2,
  })),
  ...(['node', 'python'] as const).map((kind): Row => ({
    group: 'first-connect',
    text: `first connect, spawn to the initialize answer: proxy / the server alone, ${kind === 'node' ? 'Node on the SDK' : 'a small Python server'}`,
    unit: '×',
    value: (sample) => ratio(sample, `connect ${kind} proxied`, `connect ${kind} bare`),
    shown: [
      [`connect ${kind} bare`, 'alone ms'],
      [`connect ${kind} proxied`, 'proxy ms'],
    ],
    target: kind === 'node' ? 1.25 : 1.5,
  })),
  ...(['bare', 'sdk'] as const).map((kind): Row => ({
    group: 'reload',
    text: `save → a call answered by the new code / bare start + handshake + call, ${kind === 'sdk' ? 'SDK server' : 'server without a library'}`,
    unit: '×',
    value: (sample) => ratio(sample, `save ${kind}`, `bare start ${kind}`),
    shown: [
      [`save ${kind}`, 'save ms'],
      [`bare start ${kind}`, 'bare start ms'],
    ],
    target: 1.3,
    guard: 2.6,
  })),
  {
    group: 'gap',
    text: 'gap between answers, --while-reloading serve: during a reload / without, p99',
    unit: '×',
    value: (sample) => ratio(sample, 'gap p99 reloading', 'gap p99 calm'),
    shown: [
      ['gap p99 reloading', 'reloading ms'],
      ['gap p99 calm', 'calm ms'],
    ],
    target: 2,
  },
  single('gap', 'gap longest reloading', 'gap between answers during such a reload, the longest', 'ms', {
    target: 50,
    shown: [
      ['gap longest calm', 'calm ms'],
      ['gap longest beside', 'no proxy, beside a start ms'],
    ],
  }),
  single('idle', 'idle events', 'idle CPU, 1,000 watched files', '%', {
    target: 0.1,
    guard: 0.5,
    shown: [['idle events all', 'garbage of the start included']],
  }),
  single('idle', 'idle poll', 'idle CPU with --poll, 1,000 files', '%', {
    target: 1,
    guard: 3,
    shown: [['idle poll all', 'garbage of the start included']],
  }),
  ...each((way, title) => ({
    group: 'memory',
    text: `RSS: proxy / pipe, ${title}`,
    unit: '×',
    value: (sample) => ratio(sample, `rss ${way}`, 'rss pipe'),
    shown: shownWays('rss', ['pipe', way]).map(([key, name]) => [key, `${name} MB`]),
    target: 1.4,
    guard: 2.8,
  })),
  single('large-tree', 'tree watched', '50,000 files in 2,000 directories, 100,000 ignored: watched', 'ms', {
    target: 1000,
    shown: [['tree watched bare', 'a loop of fs.watch ms']],
  }),
  single('large-tree', 'tree hashed', '… hashed', 'ms', {
    target: 3000,
    shown: [
      ['tree hashed bare', 'loops of fs.watch, read and hash ms'],
      ['tree stall hashing', 'longest stall ms'],
    ],
  }),
  single('large-tree', 'tree rss', '… RSS', 'MB', { target: 150, shown: [['tree most rss', 'most MB']] }),
  single('large-tree', 'tree watches', '… inotify watches', '', { target: 2500 }),
  single('large-tree', 'checkout reloads', 'a git checkout that changes 5,000 of them: reloads', '', {
    target: 1,
    shown: [
      ['checkout itself', 'checkout ms'],
      ['checkout to reloaded', 'then, to reloaded ms'],
    ],
  }),
  single('large-tree', 'checkout stall', '… the event loop stands still for at most', 'ms', {
    target: 50,
    shown: [['checkout stall idle', 'an idle process meanwhile ms']],
  }),
  single('notices', 'list_changed', 'save → list_changed at an idle client', 'ms', { target: 3000, guard: 6000 }),
  single('notices', 'restart', 'restart by tool', 'ms', { target: 2000, guard: 4000 }),
  growthRow('trip', 'files', fileCounts, 'growth with files: round trip ms'),
  growthRow('rss', 'files', fileCounts, 'growth with files: RSS MB'),
  growthRow('reload', 'files', fileCounts, 'growth with files: reload ms'),
  growthRow('trip', 'held', heldCounts, 'growth with messages held: round trip ms afterwards'),
  growthRow('rss', 'held', heldCounts, 'growth with messages held: RSS MB'),
  growthRow('reload', 'held', heldCounts, 'growth with messages held: reload ms, to the last answer'),
  ...(['legacy', 'modern'] as const).flatMap((era) =>
    each((way, title) => ({
      group: 'http',
      text: `HTTP, ${era}: round trip, 200 B, p50: proxy / the least, ${title}`,
      unit: '×',
      value: (sample) => ratio(sample, `http ${era} ${way}`, `http ${era} least`),
      shown: shownHttp(`http ${era}`, way),
      target: 1.3,
    })),
  ),
  gatewayRow('http', 'http legacy', 'HTTP, legacy: round trip, 200 B, p50: supergateway / the least'),
  ...each((way, title) => ({
    group: 'http-throughput',
    text: `HTTP, modern: a call, 50 clients at once: proxy / the least, ${title}`,
    unit: '×',
    value: (sample) => ratio(sample, `http modern 50 ${way}`, 'http modern 50 least'),
    shown: shownHttp('http modern 50', way),
    target: 1.3,
  })),
  {
    group: 'http-throughput',
    text: 'HTTP, legacy: a call, 50 clients at once: proxy / the least, 1,000 files watched, --share',
    unit: '×',
    value: (sample) => ratio(sample, 'http legacy 50 shared', 'http legacy 50 least'),
    shown: shownHttp('http legacy 50', 'shared'),
    target: 1.3,
  },
  ...each((way, title) => ({
    group: 'http-start',
    text: `HTTP: start to the first answer: proxy / the least, ${title}`,
    unit: '×',
    value: (sample) => ratio(sample, `http start ${way}`, 'http start least'),
    shown: shownHttp('http start', way),
    target: 1.5,
  })),
  gatewayRow('http-start', 'http start', 'HTTP: start to the first answer: supergateway / the least'),
  ...(['legacy', 'modern'] as const).flatMap((era) =>
    each((way, title) => ({
      group: 'upstream',
      text: `--upstream, ${era}: round trip, 200 B, p50: serve / a bare reverse proxy, ${title}`,
      unit: '×',
      value: (sample) => ratio(sample, `upstream ${era} ${way}`, `upstream ${era} reverse`),
      shown: ['reverse', way].map((name) => [`upstream ${era} ${name}`, `${name} ms`] as const),
      target: 1.3,
    })),
  ),
  {
    group: 'upstream-reload',
    text: '--upstream: save → a call answered by the new code / bare start to the first answer',
    unit: '×',
    value: (sample) => ratio(sample, 'save upstream', 'bare start upstream'),
    shown: [
      ['save upstream', 'save ms'],
      ['bare start upstream', 'bare start ms'],
    ],
    target: 1.3,
  },
  single('http-sessions', 'http session rss', 'HTTP: RSS of the proxy for one more session, its server aside', 'MB', {
    target: 0.5,
    shown: [
      ['http session rss with garbage', 'garbage included'],
      ['http sessions', 'sessions'],
    ],
  }),
  single('http-sessions', 'http streams', 'HTTP: idle CPU, 500 open listen streams, 1,000 watched files', '%', {
    target: 0.2,
    shown: [['http streams all', 'garbage of the start included']],
  }),
  single(
    'http-sessions',
    'http save stall',
    'HTTP: a save with 64 sessions: the event loop stands still for at most',
    'ms',
    {
      shown: [
        ['http save stall idle', 'an idle process meanwhile ms'],
        ['http save reloaded', 'save to all reloaded ms'],
      ],
    },
  ),
];
