// Reads server-sent events out of the body of a response, as a client does that knows what the proxy may send: names,
// data and ids. What an event means is for others.

export interface StreamEvent {
  readonly name: string;
  readonly data: Buffer;
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Comments, and events without data (some only have an id), are not told. */
export async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamEvent> {
  let name = 'message';
  let data: Buffer[] = [];
  for await (const line of linesOf(body)) {
    if (line.length === 0) {
      const whole = joined(data);
      if (whole.length > 0) yield { name, data: whole };
      name = 'message';
      data = [];
      continue;
    }
    const colon = line.indexOf(':');
    const field = line.toString('utf8', 0, colon < 0 ? line.length : colon);
    const value = colon < 0 ? Buffer.alloc(0) : line.subarray(line[colon + 1] === 0x20 ? colon + 2 : colon + 1);
    if (field === 'event') name = value.toString();
    if (field === 'data') data.push(value);
  }
}

function joined(lines: readonly Buffer[]): Buffer {
  return Buffer.concat(lines.flatMap((line, at) => (at === 0 ? [line] : [Buffer.of(NEWLINE), line])));
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      yield rest.subarray(0, rest[end - 1] === CARRIAGE_RETURN ? end - 1 : end);
      rest = rest.subarray(end + 1);
    }
  }
}
