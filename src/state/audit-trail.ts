/**
 * The audit trail: one line of JSON in the state directory for every event in the life of a server, for people and for
 * `mcp-hotline log`. Lines are appended whole, in order, and never lost at a clean exit; the file is rotated. Two
 * proxies may write to the same one. No message contents, no environment, no arguments; of failures, what the compiler
 * or the server printed. A line that can't be written is reported once (P14, safe files).
 */
import { link, mkdir, open, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { constants } from 'node:fs';
import { join } from 'node:path';
import { tempName } from './temp-files.js';
import { isRunning } from './is-running.js';
import { NotRegular, readStateFile } from './state-file.js';

export type AuditEvent =
  | 'started'
  | 'change'
  | 'built'
  | 'build failed'
  | 'reloaded'
  | 'restart requested'
  | 'crashed'
  | 'failed'
  | 'mended'
  | 'stopped';

export interface AuditLine {
  readonly time: string;
  readonly event: AuditEvent;
  readonly proxy: number;
  /** The client session, in a proxy that has several. */
  readonly session?: string;
  readonly generation?: number;
  readonly pid?: number;
  readonly cause?: string;
  readonly ms?: number;
  readonly phases?: Readonly<Record<string, number>>;
  readonly files?: readonly string[];
  readonly changes?: readonly string[];
  /** The compiler's or the server's own words. */
  readonly output?: string;
  /** `reloaded` or `undone`: how a failure came to its end. */
  readonly how?: string;
  /** Name and version, as the client gives them. */
  readonly client?: string;
}

export const AUDIT_FILE = 'audit.jsonl';
/**
 * A link that somebody has put there leads to another file, and a pipe would make its writer wait: neither is followed.
 */
const APPEND =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const ROTATE_AT_BYTES = 10 * 1024 * 1024;
const KEPT_FILES = 3;

export class Audit {
  readonly #file: string;
  readonly #dir: string;
  readonly #onProblem: (problem: string) => void;
  readonly #rotateAt: number;
  #tail: Promise<void> = Promise.resolve();
  #isReported = false;

  constructor(dir: string, onProblem: (problem: string) => void, rotateAt: number = ROTATE_AT_BYTES) {
    this.#dir = dir;
    this.#file = join(dir, AUDIT_FILE);
    this.#onProblem = onProblem;
    this.#rotateAt = rotateAt;
  }

  /** Resolves when the line is on the disk, or can't be. */
  write(event: AuditEvent, facts: Omit<AuditLine, 'time' | 'event' | 'proxy'> = {}): Promise<void> {
    const line: AuditLine = { time: new Date().toISOString(), event, proxy: process.pid, ...facts };
    this.#tail = this.#tail.then(() => this.#append(`${JSON.stringify(line)}\n`));
    return this.#tail;
  }

  /** Resolves when everything written so far is on the disk. */
  flushed(): Promise<void> {
    return this.#tail;
  }

  async #append(line: string): Promise<void> {
    try {
      await mkdir(this.#dir, { recursive: true, mode: 0o700 });
      await this.#rotate().catch((error: unknown) => this.#report(error));
      // Opened for each line: another proxy may have rotated the file, and a line in one write is never torn by
      // another's.
      const file = await open(this.#file, APPEND, 0o600);
      try {
        if (!(await file.stat()).isFile()) throw new NotRegular(this.#file);
        await file.appendFile((await endsTorn(file)) ? `\n${line}` : line);
      } finally {
        await file.close();
      }
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    if (!this.#isReported) this.#onProblem(`the audit trail can't be written: ${(error as Error).message}`);
    this.#isReported = true;
  }

  async #rotate(): Promise<void> {
    if (!(await this.#isFull())) return;
    const release = await claim(`${this.#file}.lock`);
    if (release === undefined) return;
    // Another proxy may have done it meanwhile; twice would put a file of one line over a full one.
    if (await this.#isFull()) {
      for (let n = KEPT_FILES - 1; n >= 1; n--)
        await rename(`${this.#file}.${n}`, `${this.#file}.${n + 1}`).catch(() => {});
      await rename(this.#file, `${this.#file}.1`).catch(() => {});
    }
    await release();
  }

  #isFull(): Promise<boolean> {
    return stat(this.#file).then(
      ({ size }) => size >= this.#rotateAt,
      () => false,
    );
  }
}

/**
 * Undefined if another process has the lock. The lock of a killed process is removed, so that the next caller gets it.
 */
async function claim(lock: string): Promise<(() => Promise<void>) | undefined> {
  const temp = tempName(lock);
  await writeFile(temp, String(process.pid), { mode: 0o600 });
  try {
    // A link makes the lock and its owner appear in one step.
    await link(temp, lock);
    return () => rm(lock, { force: true });
  } catch {
    const owner = Number(await readStateFile(lock).catch(ownerUnknown));
    if (!isRunning(owner)) await rm(lock, { force: true });
    return undefined;
  } finally {
    await rm(temp, { force: true });
  }
}

/** A lock that can't be read was released just now, so it had an owner. Something that is no file is never released. */
function ownerUnknown(error: unknown): string {
  if (error instanceof NotRegular) throw error;
  return String(process.pid);
}

/** A line that was cut off, by a full disk or a sudden end, must not take the next one with it. */
async function endsTorn(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer.toString() !== '\n';
}

/**
 * The lines of a trail, oldest first, rotated files included. A torn or foreign line is left out. Rejects with
 * NotRegular if something else is in the trail's place: that it is empty would not be true.
 */
export async function readAudit(dir: string): Promise<AuditLine[]> {
  const rotated = await readRotated(dir);
  const text = await readStateFile(join(dir, AUDIT_FILE)).catch((error: unknown) => {
    if (error instanceof NotRegular) throw error;
    return '';
  });
  return [...rotated, ...text.split('\n').flatMap(parseLine)];
}

/** Those of the files that are written no more. */
export async function readRotated(dir: string): Promise<AuditLine[]> {
  const files = Array.from({ length: KEPT_FILES }, (_, i) => join(dir, `${AUDIT_FILE}.${KEPT_FILES - i}`));
  return (await Promise.all(files.map(linesOf))).flat();
}

/** The last line of a trail. */
export async function lastOf(dir: string): Promise<AuditLine | undefined> {
  return (await linesOf(join(dir, AUDIT_FILE))).at(-1);
}

async function linesOf(file: string): Promise<AuditLine[]> {
  const text = await readStateFile(file).catch(() => '');
  return text.split('\n').flatMap(parseLine);
}

export function parseLine(text: string): AuditLine[] {
  try {
    const line: unknown = JSON.parse(text);
    return isLine(line) ? [line] : [];
  } catch {
    return [];
  }
}

/** Checks the members that readers rely on, so that a line of another program, or of another version, is left out. */
function isLine(value: unknown): value is AuditLine {
  if (typeof value !== 'object' || value === null) return false;
  const { time, event, cause = '', output = '', client = '' } = value as Record<string, unknown>;
  const { phases = {}, files = [], changes = [] } = value as Record<string, unknown>;
  return (
    [time, event, cause, output, client].every((one) => typeof one === 'string') &&
    typeof phases === 'object' &&
    [files, changes].every(Array.isArray)
  );
}
