// What a smoke run found: checks, one after the other, and what they add up to. Pure; how it is printed is left to the
// reporters, what is checked to the files beside it.

export type Status = 'ok' | 'failed' | 'skipped';

export interface Check {
  /** Which connection it belongs to: `legacy`, `modern`, `legacy, over a reload`. */
  readonly group: string;
  readonly name: string;
  readonly status: Status;
  readonly ms: number;
  /** What was seen, in a few words. */
  readonly detail: string;
  /** What is wrong, a sentence each; empty unless failed. */
  readonly problems: readonly string[];
}

export interface Report {
  readonly command: readonly string[];
  readonly checks: readonly Check[];
  /** Whether any process of the server came so far as to answer. */
  readonly started: boolean;
  readonly ms: number;
  /** The server's own last words on stderr, if something failed. */
  readonly stderr: string;
}

export type Verdict = Pick<Check, 'status' | 'detail' | 'problems'>;

export function ok(detail: string): Verdict {
  return { status: 'ok', detail, problems: [] };
}

export function failed(...problems: string[]): Verdict {
  return { status: 'failed', detail: '', problems };
}

export function skipped(detail: string): Verdict {
  return { status: 'skipped', detail, problems: [] };
}

/** Well if there are no problems. */
export function judged(problems: readonly string[], detail: string): Verdict {
  return problems.length === 0 ? ok(detail) : failed(...problems);
}

export function exitCode({ started, checks }: Pick<Report, 'started' | 'checks'>): 0 | 1 | 2 {
  if (!started) return 2;
  return checks.some(({ status }) => status === 'failed') ? 1 : 0;
}

/** `3 tools`, `1 tool`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
