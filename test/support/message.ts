// What a peer receives, as tests look at it: the bytes of a line and what they say. Judges nothing.

// The inside of a message is whatever a server made of it: tests look into it freely.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export interface Message {
  jsonrpc: '2.0';
  id?: string | number | null;
  method?: string;
  params?: Json;
  result?: Json;
  error?: { code: number; message: string; data?: Json };
}

export interface Received {
  /** The line without its newline. */
  readonly raw: Buffer;
  /** The line parsed (a batch is an array), or undefined if it is no JSON. */
  readonly message: Message;
  /** `performance.now()` at arrival. */
  readonly at: number;
}

export function parse(raw: Buffer): Message {
  try {
    return JSON.parse(raw.toString()) as Message;
  } catch {
    return undefined as unknown as Message;
  }
}

/**
 * The words of an answer that the proxy gives because something failed: a tool's caller reads a result, everybody else
 * an error.
 */
export function failureSaid(answer: Message): string {
  if (answer.result === undefined) return answer.error?.message ?? '';
  return answer.result.isError === true
    ? String(answer.result.content[0].text)
    : `no failure: ${JSON.stringify(answer)}`;
}
