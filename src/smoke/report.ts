// The result of a smoke run: checks, one after the other, and their sum. Pure; the reporters print it, the files beside
// it perform the checks.

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
  /** Whether any process of the server has answered. */
  readonly started: boolean;
  readonly ms: number;
  /** The last lines of the server's stderr, if a check failed. */
  readonly stderr: string;
}

export type CheckResult = Pick<Check, 'status' | 'detail' | 'problems'>;

export function ok(detail: string): CheckResult {
  return { status: 'ok', detail, problems: [] };
}

export function failed(...problems: string[]): CheckResult {
  return { status: 'failed', detail: '', problems };
}

export function skipped(detail: string): CheckResult {
  return { status: 'skipped', detail, problems: [] };
}

/** `ok` if there are no problems. */
export function resultOf(problems: readonly string[], detail: string): CheckResult {
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
