// Where log lines go: stderr, or a file that is only ever appended to. A destination never throws and never makes the
// traffic wait: a file that can't be written gives way to stderr, a stderr that nobody reads loses lines and says how
// many.

import { createWriteStream, statSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { atMost, flush } from './flush.js';

export interface Destination {
  write(line: string): void;
  /**
   * Ends the file. Resolves when everything is out, and waits at most `within` milliseconds for the file and for
   * stderr.
   */
  close(within: number): Promise<void>;
}

export interface DestinationOptions {
  file: string | undefined;
  stderr: Writable;
  /** Makes a line, in the format of the log, out of what the destination has to say about itself. */
  notice?: (text: string) => string;
}

const limit = 1024 * 1024;

export function openLogDestination({
  file,
  stderr,
  notice = (text) => `mcp-hotline: ${text}\n`,
}: DestinationOptions): Destination {
  const fallback = bounded(stderr, notice, 'stderr was not read');
  stderr.on('error', () => {}); // a closed stderr must not end the process
  const refused = file === undefined ? undefined : refusal(file);
  if (refused !== undefined) fallback(notice(`cannot write the log file: ${refused}; the log goes to stderr`));
  if (file === undefined || refused !== undefined) {
    return { write: fallback, close: (within) => flush(stderr, within) };
  }

  const stream = createWriteStream(file, { flags: 'a' });
  const unwritten: string[] = []; // what the file has not taken when it fails is not lost
  let failed = false;
  const toFile = bounded(stream, notice, `${file} did not take them`, (line) => unwritten.push(line));
  stream.on('error', (error) => {
    failed = true;
    fallback(notice(`cannot write the log file: ${error.message}; the log goes to stderr from here on`));
  });
  const closed = new Promise<void>((resolve) => {
    stream.once('close', () => {
      for (const line of unwritten.splice(0)) fallback(line);
      resolve();
    });
  });

  return {
    write(line) {
      if (failed) fallback(line);
      else toFile(line);
    },
    async close(within) {
      stream.end();
      await atMost(within, closed);
      await flush(stderr, within);
    },
  };
}

/**
 * A pipe with no reader would keep the process alive, and the log from ever being written. A terminal or /dev/null is
 * fine.
 */
function refusal(file: string): string | undefined {
  try {
    const stats = statSync(file);
    return stats.isFile() || stats.isCharacterDevice() || stats.isDirectory()
      ? undefined
      : `${file} is neither a regular file nor a character device`;
  } catch {
    return undefined;
  }
}

/** Writes as long as the stream keeps up; then drops lines, counts them, and tells the number when it flows again. */
function bounded(
  stream: Writable,
  notice: (text: string) => string,
  why: string,
  onFailed: (line: string) => void = () => {},
): (line: string) => void {
  let dropped = 0;
  const put = (line: string) => {
    if (stream.destroyed || stream.writableEnded) return onFailed(line);
    stream.write(line, (error) => {
      if (error) onFailed(line);
    });
  };
  return (line) => {
    if (stream.writableLength > limit) {
      dropped++;
      if (dropped > 1) return;
      stream.once('drain', () => {
        const lost = dropped;
        dropped = 0;
        put(notice(`${lost} log ${lost === 1 ? 'line was' : 'lines were'} dropped because ${why}`));
      });
    } else if (dropped > 0) {
      dropped++; // between the stream's relief and its drain event, order is worth more than one line
    } else {
      put(line);
    }
  };
}
