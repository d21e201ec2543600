/** How a line of the client fails to be a message: its kinds, and what is said of each. Pure. */

const texts = {
  'not-json-rpc': 'is not a JSON-RPC message',
  'not-json': 'is not JSON',
  'empty-batch': 'is an empty batch',
  'mixed-batch': 'is a batch with something else in it',
  'not-an-object': 'is JSON but not an object',
  'no-version': 'has no member "jsonrpc" of "2.0"',
  'bad-id': 'has an id that is neither a string nor a number',
  'null-id': 'has the id null',
  'no-method': 'has neither a method nor a result',
} as const;

export type LineFault = keyof typeof texts;

/** As the end of the sentence "a line that …". */
export function lineFaultText(fault: LineFault): string {
  return texts[fault];
}

/** `isAnswered`: the line went to nobody. */
export function lineFaultWarning(fault: LineFault, bytes: number, isAnswered: boolean): string {
  const then = isAnswered ? 'It was answered with an error' : 'It was passed on as it is';
  return `the client sent a line of ${bytes} bytes that ${lineFaultText(fault)}. ${then}; further lines of this kind are not reported`;
}
