/**
 * A failure as data: what failed, on which command, why, and what was printed; and the end of the sentence that says
 * why. Whoever notices a failure makes such a record and no sentence. The sentences around it are words.ts's for agents
 * and failure-log.ts's for people. Pure.
 */
import { printedText, type Printed } from './excerpt.js';
import { httpTraceText, type HttpTrace } from './http-traces.js';
import { lineFaultText, type LineFault } from './line-faults.js';

/** How a process came to its end. `unknown`: it has gone, and nobody knows how. */
export type ProcessEnd =
  | { readonly kind: 'exit'; readonly code: number | null }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  /** We have stopped it. */
  | { readonly kind: 'killed'; readonly because: ServerFault }
  | { readonly kind: 'unknown' };

/** Why a server had to be stopped at once. */
export type ServerFault =
  | { readonly kind: 'line-too-long'; readonly limitBytes: number }
  | { readonly kind: 'pipe-closed'; readonly pipe: 'stdin' | 'stdout' };

/** Why a process could not be started. */
export type SpawnProblem =
  | { readonly kind: 'not-found'; readonly program: string }
  | { readonly kind: 'no-directory'; readonly directory: string }
  /** In the words of the system. */
  | { readonly kind: 'system'; readonly message: string };

type NotSpawned = { readonly kind: 'not-spawned'; readonly problem: SpawnProblem };

export type BuildCause =
  | Extract<ProcessEnd, { kind: 'exit' | 'signal' }>
  | NotSpawned
  /** Nothing can be run for this build: the output says why. */
  | { readonly kind: 'not-runnable' }
  | { readonly kind: 'time-out'; readonly limitMs: number }
  /** The process that ran it has gone. */
  | { readonly kind: 'helper-gone' };

type Era = 'legacy' | 'modern';

/** The era that a server speaks, and that in which the client opened its session before any server was there. */
export interface OtherEra {
  readonly server: Era;
  readonly client: Era;
}

/** A line of the client's that was no message. */
export interface MalformedLine {
  readonly bytes: number;
  readonly fault: LineFault;
}

export type ServerCause =
  | NotSpawned
  | {
      readonly kind: 'ended';
      readonly end: ProcessEnd;
      /** Before the handshake was done. */
      readonly inHandshake?: true;
      /** It was sent this right before. */
      readonly after?: MalformedLine;
    }
  /** It answered the handshake with an error (as JSON). */
  | { readonly kind: 'refused'; readonly error: string; readonly otherEra?: OtherEra }
  /** It did not answer the handshake in time. `isAtWork`: it showed signs of life until the end of `limitMs`. */
  | ({ readonly kind: 'unanswered'; readonly limitMs: number; readonly isAtWork: boolean } & Traced)
  /** It has not answered the handshake for so long, and still may. */
  | ({ readonly kind: 'hanging'; readonly ms: number } & Traced)
  /** It was not started: somebody else answers where it is to listen. */
  | { readonly kind: 'port-taken'; readonly at: string }
  /** It has not answered the handshake for so long. Nobody here starts it. */
  | { readonly kind: 'not-there'; readonly ms: number; readonly last: string | undefined };

interface Traced {
  /** It has printed where it listens, so that it may speak HTTP. */
  readonly trace?: HttpTrace | undefined;
  /** What has come last in place of an answer, over HTTP. */
  readonly last?: string | undefined;
}

interface Common {
  /** The command as a person would type it, or the file that is wrong. */
  readonly command: string;
  /** The compiler's or the server's own words. */
  readonly output: Printed;
  /** It was started beside the server that it was to replace, and nothing shows that its code is wrong. */
  readonly beside?: true;
  /** When this was tried last, and how long after that a tool call tries it again. */
  readonly tried?: Tried;
}

export interface Tried {
  /** ISO 8601. */
  readonly at: string;
  readonly againAfterMs: number;
}

/**
 * `exit`: the server ended with exit code 0, though nobody had asked it to. `era`: it refuses the era of MCP in which
 * the client opened its session before any server was there. `away`: somebody else starts it, and it can't be
 * used as it is, if it is there.
 */
export type ServerFailure = Common & {
  readonly kind: 'start' | 'crash' | 'exit' | 'era' | 'away';
  readonly cause: ServerCause;
};

export type Failure =
  | (Common & { readonly kind: 'build'; readonly cause: BuildCause })
  | ServerFailure
  | (Common & { readonly kind: 'configuration'; readonly cause: { readonly kind: 'unusable' } });

/** It was given up, or is about to be, because it takes too long. */
export function isLate({ cause }: Failure): boolean {
  return cause.kind === 'unanswered' || cause.kind === 'hanging';
}

/** How it failed, as the end of a sentence that begins with the command: `exited with code 1`. */
export function howOf(failure: Failure): string {
  switch (failure.kind) {
    case 'build':
      return buildCauseText(failure.cause);
    case 'configuration':
      return "can't be used as it is";
    default:
      return serverCauseText(failure.cause);
  }
}

export function buildCauseText(cause: BuildCause): string {
  switch (cause.kind) {
    case 'not-runnable':
      return "can't be run";
    case 'not-spawned':
      return `could not be started: ${spawnProblemText(cause.problem)}`;
    case 'time-out':
      return `did not end within ${cause.limitMs / 1000} s and was stopped`;
    case 'helper-gone':
      return 'was ended with the process that ran it';
    default:
      return processEndText(cause);
  }
}

function serverCauseText(cause: ServerCause): string {
  switch (cause.kind) {
    case 'not-spawned':
      return cause.problem.kind === 'no-directory'
        ? `can't be started, because its directory ${cause.problem.directory} does not exist any more`
        : `can't be run: ${spawnProblemText(cause.problem)}`;
    case 'ended': {
      const ended = `${processEndText(cause.end)}${cause.inHandshake === true ? ' before the handshake was done' : ''}`;
      return `${ended}${cause.after === undefined ? '' : afterLineText(cause.after)}`;
    }
    case 'refused':
      return `answered the handshake with an error: ${cause.error}${cause.otherEra === undefined ? '' : `. ${otherEraText(cause.otherEra)}`}`;
    case 'unanswered': {
      const late = cause.isAtWork ? ', though it was at work' : ' of its last sign of life';
      return `did not answer the handshake within ${cause.limitMs} ms${late}${traceText(cause)}`;
    }
    case 'hanging': {
      const late = `has not answered the handshake for ${Math.round(cause.ms / 1000)} s, but is still running`;
      return `${late}${traceText(cause)}`;
    }
    case 'not-there':
      return `has not answered the handshake for ${Math.round(cause.ms / 1000)} s${traceText(cause)}`;
    case 'port-taken':
      return `was not started, because another program answers on ${cause.at} already: end that one, or name another port`;
  }
}

function traceText({ trace, last }: Traced): string {
  if (last !== undefined) return `; what came last over HTTP: ${last}`;
  return trace === undefined ? '' : `: ${httpTraceText(trace)}`;
}

function processEndText(end: ProcessEnd): string {
  switch (end.kind) {
    case 'exit':
      return `exited with code ${end.code}`;
    case 'signal':
      return `was ended by ${end.signal}`;
    case 'killed':
      return serverFaultText(end.because);
    case 'unknown':
      return 'ended';
  }
}

function serverFaultText(fault: ServerFault): string {
  return fault.kind === 'line-too-long'
    ? `wrote a line of more than ${fault.limitBytes} bytes`
    : `closed its ${fault.pipe} and was stopped`;
}

function spawnProblemText(problem: SpawnProblem): string {
  switch (problem.kind) {
    case 'not-found':
      return `${problem.program} was not found`;
    case 'no-directory':
      return `the directory ${problem.directory} does not exist`;
    case 'system':
      return problem.message;
  }
}

export function otherEraText({ server, client }: OtherEra): string {
  return `The server seems to be one of MCP's ${server} era, and the client opened a ${client} session while no server was there to say so`;
}

/** What is added to the end of a server that may have died of such a line. */
export function afterLineText({ bytes, fault }: MalformedLine): string {
  return `, right after it was sent a line of the client's (${bytes} bytes) that ${lineFaultText(fault)}`;
}

/** A failure as programs are given it: in the JSON of the log, and as `data` of an error. */
export interface FailureFacts {
  readonly kind: Failure['kind'];
  readonly command: string;
  readonly how: string;
  readonly output: string;
  readonly late?: true;
  readonly beside?: true;
  readonly tried?: Tried;
}

export function failureFacts(failure: Failure): FailureFacts {
  const { kind, command, output, beside, tried } = failure;
  return {
    kind,
    command,
    how: howOf(failure),
    output: printedText(output),
    ...(isLate(failure) ? { late: true } : {}),
    ...(beside === undefined ? {} : { beside }),
    ...(tried === undefined ? {} : { tried }),
  };
}
