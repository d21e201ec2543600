/**
 * Turns what a server writes to its stderr into events, one a line, while somebody listens. Nothing is kept or decoded
 * otherwise. Passing the bytes on is left to the server's process.
 */
import { StringDecoder } from 'node:string_decoder';
import type { EventBus } from './bus.js';

/** A line without an end must not fill the memory. */
const MAX_LINE = 64 * 1024;

/** To be called with each chunk, and with nothing when there are no more. */
export function stderrLines(events: EventBus, generation: number): (chunk?: Buffer) => void {
  let decoder: StringDecoder | undefined;
  let rest = '';
  const emit = (line: string): void => events.emit({ kind: 'stderr', generation, line: line.replace(/\r$/, '') });
  return (chunk) => {
    if (!events.wants('stderr')) {
      decoder = undefined;
      rest = '';
      return;
    }
    decoder ??= new StringDecoder('utf8');
    const lines = (rest + (chunk === undefined ? decoder.end() : decoder.write(chunk))).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) emit(line);
    if (rest === '' || (chunk !== undefined && rest.length <= MAX_LINE)) return;
    emit(rest);
    rest = '';
  };
}
