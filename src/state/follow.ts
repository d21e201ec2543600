/**
 * An audit trail as it grows: what is there, then every line that is added, also when the file is rotated in between.
 * The file is looked at when the system says that its directory has changed, never by the clock.
 */
import { watch } from 'node:fs';
import { stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { AUDIT_FILE, parseLine, readRotated, type AuditLine } from './audit-trail.js';
import { NotRegular, openStateFile } from './state-file.js';

export interface Followed {
  /** What was there at first. */
  readonly past: Promise<AuditLine[]>;
  /** Hands on what comes then, until `over`. */
  follow(): Promise<void>;
}

export function followAudit(dir: string, more: (lines: AuditLine[]) => void, over: AbortSignal): Followed {
  const tail = new Tail(join(dir, AUDIT_FILE));
  return {
    past: readRotated(dir).then(async (rotated) => [...rotated, ...(await tail.next())]),
    async follow() {
      let wake = (): void => {};
      const watcher = watch(dir, () => wake());
      watcher.on('error', () => {});
      over.addEventListener('abort', () => wake(), { once: true });
      while (!over.aborted) {
        const changed = new Promise<void>((resolve) => (wake = resolve));
        const lines = await tail.next();
        if (lines.length > 0) more(lines);
        else if (!over.aborted) await changed;
      }
      watcher.close();
      await tail.close();
    },
  };
}

/** A trail that is not there yet may come; what is no file never will be one. */
function absent(error: unknown): undefined {
  if (error instanceof NotRegular) throw error;
}

/** Reads a file on from where it was left, and goes over to the one that took its name. */
class Tail {
  readonly #path: string;
  #file: FileHandle | undefined;
  #at = 0;
  #rest = Buffer.alloc(0);

  constructor(path: string) {
    this.#path = path;
  }

  async next(): Promise<AuditLine[]> {
    this.#file ??= await openStateFile(this.#path).catch(absent);
    if (this.#file === undefined) return [];
    const lines = await this.#read(this.#file);
    if (await this.#isCurrent(this.#file)) return lines;
    // It was renamed: what was added before that is read, and the next one begins at its beginning.
    const last = await this.#read(this.#file);
    await this.close();
    return [...lines, ...last, ...(await this.next())];
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
    this.#at = 0;
    this.#rest = Buffer.alloc(0);
  }

  async #read(file: FileHandle): Promise<AuditLine[]> {
    const { size } = await file.stat();
    const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.max(0, size - this.#at)), 0, undefined, this.#at);
    this.#at += bytesRead;
    const all = Buffer.concat([this.#rest, buffer.subarray(0, bytesRead)]);
    const end = all.lastIndexOf(0x0a) + 1;
    this.#rest = all.subarray(end);
    return all.toString('utf8', 0, end).split('\n').flatMap(parseLine);
  }

  async #isCurrent(file: FileHandle): Promise<boolean> {
    const [own, now] = await Promise.all([file.stat(), stat(this.#path).catch(() => undefined)]);
    return now === undefined || now.ino === own.ino;
  }
}
