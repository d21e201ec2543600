// What a peer sent, received and saw on stderr, with the time of each: printed whole when a wait fails, so that a
// failure in CI can be read without being repeated. Very long lines and very long runs are shortened in the middle.

export type Direction = '→' | '←' | '!';

export interface Transcript {
  add(direction: Direction, bytes: Buffer): void;
  print(): string;
}

const longestLine = 600;
const mostEntries = 400;

export function createTranscript(title: string): Transcript {
  const start = performance.now();
  const entries: string[] = [];
  return {
    add(direction, bytes) {
      const time = (performance.now() - start).toFixed(1).padStart(9);
      entries.push(`${time} ${direction} ${shorten(bytes)}`);
    },
    print() {
      const left = entries.length - mostEntries;
      const shown =
        left > 0
          ? [...entries.slice(0, mostEntries / 2), `… ${left} entries …`, ...entries.slice(-mostEntries / 2)]
          : entries;
      const now = `${(performance.now() - start).toFixed(1).padStart(9)} now`;
      return [title, '(ms, → sent, ← received, ! stderr or process)', ...shown, now].join('\n');
    },
  };
}

function shorten(bytes: Buffer): string {
  if (bytes.length <= longestLine) return bytes.toString().trimEnd();
  const half = longestLine / 2;
  const head = bytes.subarray(0, half).toString();
  const tail = bytes.subarray(-half).toString().trimEnd();
  return `${head} … ${bytes.length - longestLine} bytes … ${tail}`;
}
