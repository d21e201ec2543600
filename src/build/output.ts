// Keeps the output of a build: its beginning and its end in memory, all of it in a file if one can be written. An error
// of the file costs the file and nothing else. agent/excerpt.ts says what is left out of an excerpt.
import { closeSync, constants, createWriteStream, fstatSync, mkdirSync, openSync } from 'node:fs';
import type { WriteStream } from 'node:fs';
import { dirname } from 'node:path';
import { excerptOf, WINDOW, type Printed, type Rest } from '../agent/excerpt.js';

export interface Output {
  /** The beginning and the end, how many bytes are missing between them, and which file has them. */
  excerpt(): Printed;
}

export interface OutputSink extends Output {
  /** Resolves when there is room for more. */
  write(chunk: Buffer): Promise<void>;
  end(): Promise<void>;
}

/** A build that prints for ever must not fill the disk. */
const FILE_LIMIT = 64 * 1024 * 1024;

/** As 'w', but a symbolic link is not followed, and opening a pipe does not wait for its reader. */
const REPLACE =
  constants.O_WRONLY |
  constants.O_CREAT |
  constants.O_TRUNC |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

export function createOutput(file: string | undefined, fileLimit: number = FILE_LIMIT): OutputSink {
  const log = file === undefined ? undefined : openFile(file);
  const head: Buffer[] = [];
  const tail: Buffer[] = [];
  let bytes = 0;
  let kept = 0;
  let filed = 0;
  let fileFailed = log === undefined;
  log?.on('error', () => (fileFailed = true));

  function keep(chunk: Buffer): void {
    // Copied, because a small slice would keep the whole chunk in memory.
    if (bytes < WINDOW) head.push(Buffer.from(chunk.subarray(0, WINDOW - bytes)));
    bytes += chunk.length;
    const last = Buffer.from(chunk.subarray(-WINDOW));
    tail.push(last);
    kept += last.length;
    for (let first = tail[0]; first !== undefined && kept - first.length >= WINDOW; first = tail[0]) {
      tail.shift();
      kept -= first.length;
    }
  }

  async function write(chunk: Buffer): Promise<void> {
    if (chunk.length === 0) return;
    keep(chunk);
    if (log === undefined || fileFailed || filed >= fileLimit) return;
    const part = chunk.subarray(0, fileLimit - filed);
    filed += part.length;
    await new Promise<void>((resolve) => log.write(part, () => resolve()));
  }

  async function end(): Promise<void> {
    if (log === undefined || log.closed) return;
    await new Promise<void>((resolve) => {
      log.once('close', resolve);
      log.end();
    });
  }

  function excerpt(): Printed {
    return excerptOf({ head: Buffer.concat(head), tail: Buffer.concat(tail), bytes, rest: restInFile() });
  }

  function restInFile(): Rest | undefined {
    if (fileFailed || file === undefined) return undefined;
    return filed === bytes ? { part: 'all', file } : { part: 'first', bytes: filed, file };
  }

  return {
    write,
    end,
    excerpt,
  };
}

function openFile(file: string): WriteStream | undefined {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const fd = openSync(file, REPLACE, 0o600);
    if (fstatSync(fd).isFile()) return createWriteStream(file, { fd });
    closeSync(fd);
  } catch {
    // The file can't be written: the excerpt in memory has to do.
  }
  return undefined;
}
