// Lines out of chunks for the tests' own side of a pipe, independent of the product's splitter on purpose. A line is
// handed over without its newline; what follows the last newline is available as the rest.

export interface LineSplitter {
  push(chunk: Buffer): void;
  rest(): Buffer;
}

export function splitLines(onLine: (line: Buffer) => void): LineSplitter {
  let pending: Buffer[] = [];
  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
        pending.push(chunk.subarray(from, at));
        const line = pending.length === 1 ? pending[0]! : Buffer.concat(pending);
        pending = [];
        from = at + 1;
        onLine(line);
      }
      if (from < chunk.length) pending.push(chunk.subarray(from));
    },
    rest: () => Buffer.concat(pending),
  };
}
