// What is timed on one connection: round trips one at a time, and throughput with a window of requests in flight. Every
// answer is accounted for by its length.
import assert from 'node:assert/strict';
import { connect, untilBack, type Connection } from './connection.js';
import type { Way } from './ways.js';

const head = '{"jsonrpc":"2.0","id":';
const call = ',"method":"tools/call","params":{"name":"echo","arguments":{"text":"';
/** How many bytes an answer of the server is shorter than the request. */
const saved = call.length + '"}}}'.length - (',"result":{"content":[{"type":"text","text":"'.length + '"}]}}'.length);

let lastId = 0;

/** Milliseconds of each of `count` round trips. */
export async function roundTrips(connection: Connection, size: number, count: number): Promise<number[]> {
  const request = requests(size);
  const times: number[] = [];
  for (let number = 0; number < count; number += 1) {
    const pieces = request();
    const answered = untilBack(connection, 1);
    const begin = performance.now();
    connection.send(pieces);
    const bytes = await answered;
    times.push(performance.now() - begin);
    assert.equal(bytes, length(pieces) - saved);
  }
  return times;
}

/** Milliseconds a message, with `window` requests in flight. */
export async function throughput(
  connection: Connection,
  load: { size: number; count: number; window: number },
): Promise<number> {
  const request = requests(load.size);
  let unsent = load.count;
  let sentBytes = 0;
  const send = (count: number): void => {
    const pieces = Array.from({ length: Math.min(count, unsent) }, request).flat();
    unsent -= pieces.length / 2;
    sentBytes += length(pieces);
    connection.send(pieces);
  };
  const answered = untilBack(connection, load.count, send);
  const begin = performance.now();
  send(load.window);
  const bytes = await answered;
  const milliseconds = performance.now() - begin;
  assert.equal(bytes, sentBytes - load.count * saved);
  return milliseconds / load.count;
}

/** Milliseconds from the start of the process to the answer to `initialize`. */
export async function startUp(way: Way): Promise<number> {
  const connection = await connect(way);
  await connection.close();
  return connection.startUp;
}

/**
 * A source of requests of `size` bytes, more or less by the digits of the id, each as two pieces, the second shared.
 */
function requests(size: number): () => Buffer[] {
  const text = 'x'.repeat(size - head.length - call.length - '000000"}}}\n'.length);
  const tail = Buffer.from(`${call}${text}"}}}\n`);
  return () => {
    lastId += 1;
    return [Buffer.from(`${head}${lastId}`), tail];
  };
}

function length(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}
