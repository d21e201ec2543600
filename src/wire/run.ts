/**
 * Bytes as they were read, on their way to be written: lines side by side in one piece of memory, or one line in the
 * pieces that it came in. Large lines are seldom looked into, so they are put together only for those that do.
 */

export type Pieces = readonly Buffer[];
export type Run = Buffer | Pieces;

export function isInPieces(run: Run): run is Pieces {
  return Array.isArray(run);
}

export function lengthOf(run: Run): number {
  return isInPieces(run) ? run.reduce((sum, piece) => sum + piece.length, 0) : run.length;
}

/** What lies between `from` and `to`, in one piece. Of a line in pieces, all of it. */
export function cutOut(run: Run, from: number, to: number): Buffer {
  if (isInPieces(run)) return Buffer.concat(run);
  return from === 0 && to === run.length ? run : run.subarray(from, to);
}
