/**
 * What the log says of an event: its level, the name that it has in JSON, a sentence for people, and the facts beside
 * it. Names, sentences, facts and their order are a contract with whoever reads logs. The words about failures are
 * agent/failure-log.ts's; what a line looks like is log.ts's.
 */
import { failureFacts } from '../agent/failure.js';
import { nameFiles } from '../agent/file-names.js';
import { crashedText, failedText, lineTooLongText, mendedText } from '../agent/failure-log.js';
import type { EventKind, EventOf, HotlineEvent, LeftBehind, NoiseKind } from '../events/events.js';

export type EventName =
  | 'starting'
  | 'ready'
  | 'change'
  | 'unchanged'
  | 'building'
  | 'built'
  | 'reloaded'
  | 'failed'
  | 'mended'
  | 'crashed'
  | 'drained'
  | 'noise'
  | 'list-changed'
  | 'warning'
  | 'listening'
  | 'closing'
  | 'closed';

export type Level = 'debug' | 'info' | 'warn' | 'error';
export type Fields = Readonly<Record<string, unknown>>;

export interface LogEntry {
  readonly level: Level;
  readonly name: EventName;
  readonly text: string;
  readonly fields?: Fields;
  /** Whose it is, where there are several. */
  readonly session?: string;
}

/** `isFile`: the log goes to a file, and what servers print on stderr does not. */
export interface WordsOptions {
  readonly isFile: boolean;
}

type Words = { readonly [K in EventKind]?: (event: EventOf<K>, options: WordsOptions) => LogEntry };

const words = {
  discovered: ({ level, text }) => ({ level, name: 'starting', text }),
  piping: ({ name, generation, pid }) => ({
    level: 'info',
    name: 'starting',
    text: `serving ${name}, without reloading`,
    fields: { generation, pid },
  }),
  watching: ({ files, directories, mode, ms }) => ({
    level: 'debug',
    name: 'starting',
    text: `watching ${files} files in ${directories} directories (${mode}) after ${ms} ms`,
    fields: { ms },
  }),
  hashed: ({ ms }) => ({ level: 'debug', name: 'starting', text: `hashed after ${ms} ms`, fields: { ms } }),
  starting: ({ as, generation, pid, ms }) => ({
    level: 'info',
    name: 'starting',
    text:
      as === 'unproven'
        ? `starting: generation ${generation}${pidText(pid)}`
        : `generation ${generation} serves what was built before; the failure stands`,
    fields: { generation, pid, ms },
  }),
  'opened-in-place': ({ name, method, inPlace, failing }) => {
    const answer = inPlace === 'guess' ? 'with a minimal answer' : 'with what it said when it last ran';
    const then = failing ? 'its tools come once it has started' : 'everything else waits for it';
    const text = `${name} has not answered ${method}: the client is answered in its place, ${answer}; ${then}`;
    return { level: 'info', name: 'starting', text, fields: { method, inPlace } };
  },
  ready: ({ generation, pid, ms, failing }) => ({
    level: 'info',
    name: 'ready',
    text: `ready: generation ${generation}${pidText(pid)}${failing ? '; the failure stands' : ''}`,
    fields: { generation, pid, ms, ...(failing ? { failing } : {}) },
  }),
  change: ({ files }) => ({ level: 'info', name: 'change', text: `changed: ${nameFiles(files)}`, fields: { files } }),
  'saved-meanwhile': ({ files }) => ({
    level: 'info',
    name: 'change',
    text: `saved while it was being built or started, so that is done again: ${nameFiles(files)}`,
    fields: { files },
  }),
  'configuration-changed': ({ options }) => ({
    level: 'info',
    name: 'change',
    text: `the configuration has changed: ${options.join(', ')}`,
    fields: { changed: options },
  }),
  unchanged: ({ files, why }) => ({
    level: 'debug',
    name: 'unchanged',
    text: `${why === 'same-content' ? 'unchanged' : 'written by the server itself'}: ${nameFiles(files)}`,
    fields: { files },
  }),
  'build-waiting': ({ rule }) => ({
    level: 'info',
    name: 'building',
    text: 'waiting for a build of this project that is under way',
    fields: { rule },
  }),
  building: ({ rule, command }) => ({
    level: 'info',
    name: 'building',
    text: `building: ${command}`,
    fields: { rule },
  }),
  'build-handed-over': ({ rule, pid }) => ({
    level: 'info',
    name: 'building',
    text: `the client has gone: process ${pid} finishes the build for the next one`,
    fields: { rule, pid },
  }),
  built: ({ rule, ms }) => ({ level: 'info', name: 'built', text: `built in ${ms} ms`, fields: { rule, ms } }),
  'build-skipped': ({ rule }) => ({
    level: 'debug',
    name: 'built',
    text: `${rule}: built already`,
    fields: { rule },
  }),
  reloaded: (event) => {
    const { generation, pid, ms, files, phases, changes } = event;
    const what = changes.length > 0 ? `: ${changes.join(', ')}` : '';
    const text = `reloaded in ${ms} ms${causeOf(event)}, generation ${generation}${what}`;
    return { level: 'info', name: 'reloaded', text, fields: { generation, pid, ms, files, phases, changes } };
  },
  'list-changed': ({ lists }) => ({
    level: 'info',
    name: 'list-changed',
    text: `the client is told of changed lists: ${lists.join(', ')}`,
    fields: { lists },
  }),
  failed: (event, { isFile }) => {
    const { failure, outlook, generation } = event;
    const fields = { ...failureFacts(failure), ...outlook, ...(generation === undefined ? {} : { generation }) };
    return { level: 'error', name: 'failed', text: failedText(event, isFile), fields };
  },
  'not-started': ({ command, isMissing, problem }) => ({
    level: 'error',
    name: 'failed',
    text: isMissing ? `command not found: ${command}` : `can't run ${command}: ${problem}`,
  }),
  'line-too-long': (event) => ({ level: 'error', name: 'failed', text: lineTooLongText(event) }),
  mended: ({ how, generation, pid, failure: { kind }, since }) => ({
    level: 'info',
    name: 'mended',
    text: mendedText(how, generation),
    fields: { how, generation, pid, kind, since },
  }),
  crashed: (event) => {
    const { generation, exit, failure, outlook } = event;
    const { kind, command, how, output } = failureFacts(failure);
    const fields = { generation, ...exit, kind, command, how, output, ...outlook };
    return { level: 'warn', name: 'crashed', text: crashedText(event), fields };
  },
  drained: ({ generation }) => ({
    level: 'debug',
    name: 'drained',
    text: `generation ${generation} is gone`,
    fields: { generation },
  }),
  'cut-off': cutOffWords,
  'left-behind': ({ generation, processes, reaped }) => ({
    level: 'warn',
    name: 'warning',
    text: leftBehindText(generation, processes, reaped),
    fields: { ...(generation === undefined ? {} : { generation }), processes, reaped },
  }),
  noise: ({ generation, noise: kind, runner }) => ({
    level: 'warn',
    name: 'noise',
    text: kind === 'banner' ? bannerHint(runner) : hints[kind],
    fields: { generation, kind },
  }),
  warning: ({ level, text, code, files }) => ({
    level: level ?? 'warn',
    name: 'warning',
    text,
    fields: { ...(code === undefined ? {} : { code }), ...(files === undefined ? {} : { files }) },
  }),
  listening: ({ url, port, host, tokenFile }) => ({
    level: 'info',
    name: 'listening',
    text: `listening on ${url}${tokenFile === undefined ? '' : `; clients need the token that is in ${tokenFile}`}`,
    fields: { url, port, host, ...(tokenFile === undefined ? {} : { tokenFile }) },
  }),
  closing: ({ by }) => ({ level: 'debug', name: 'closing', text: `closing: ${by}`, fields: { by } }),
  closed: () => ({ level: 'debug', name: 'closed', text: 'closed' }),
} satisfies Words;

export type LoggedKind = keyof typeof words;
export const LOGGED_KINDS = Object.keys(words) as LoggedKind[];

export function logEntry(event: EventOf<LoggedKind>, options: WordsOptions): LogEntry {
  const entryOf = words[event.kind] as (event: HotlineEvent, options: WordsOptions) => LogEntry;
  return entryOf(event, options);
}

function causeOf({ files, method }: EventOf<'reloaded'>): string {
  if (files.length > 0) return ` (${nameFiles(files)})`;
  if (method === undefined) return '';
  return {
    crash: ' (after a crash)',
    server: ' (the server asked for it)',
    start: ' (after a failed start)',
    change: '',
    request: '',
  }[method];
}

/** Which calls the end of the drain cut off, and what becomes of them. */
function cutOffWords({ generation, answered, sentAgain, limitMs }: EventOf<'cut-off'>): LogEntry {
  const what = `generation ${generation} was replaced, and is stopped before it has answered ${nameFiles([...answered, ...sentAgain])}: that took more than ${limitMs} ms (--drain)`;
  const fates = [
    answered.length === 0 ? '' : `the client is told that ${nameFiles(answered)} may have run`,
    sentAgain.length === 0 ? '' : `${nameFiles(sentAgain)} is sent again`,
  ];
  const text = `${what}; ${fates.filter((fate) => fate !== '').join(', ')}`;
  return { level: 'warn', name: 'drained', text, fields: { generation, cutOff: answered, sentAgain } };
}

function leftBehindText(generation: number | undefined, processes: readonly LeftBehind[], reaped: boolean): string {
  const whose = generation === undefined ? 'the server' : `generation ${generation}`;
  const list = processes.map(({ pid, program }) => `${pid} ${program}`).join(', ');
  return reaped
    ? `${whose} has left processes behind in sessions of their own, which are ended: ${list}`
    : `${whose} has left processes behind in sessions of their own: ${list}. --reap would end them`;
}

const hints: Record<Exclude<NoiseKind, 'banner'>, string> = {
  text: 'the server printed text on stdout, which belongs to the protocol: it went to stderr instead. Print such lines to stderr (console.error, print(…, file=sys.stderr), a logger on stderr)',
  json: 'the server printed JSON on stdout that is no JSON-RPC message: it went to stderr instead. Let its logger write to stderr',
  cut: 'the server ended in the middle of a message: its beginning went to stderr instead',
};

function bannerHint(runner: string | undefined): string {
  return `${runner} printed its banner on stdout, which belongs to the protocol: it went to stderr instead. Let the client start the server with ${runner} --silent …, which prints none`;
}

/** Nothing of a server that somebody else has started. */
function pidText(pid: number | undefined): string {
  return pid === undefined ? '' : `, pid ${pid}`;
}
