/** What the answer to a POST means that is no success: a table of what servers and those before them say. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstLines, outcomeOf, type Refusal } from '#src/channel/http/outcome.js';

const answer = (id: string): string =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":-32001,"message":"Session not found"}}`;
const asked: Refusal = { status: 404, isJson: true, body: Buffer.alloc(0), owed: ['1'], hasSession: true };

const cases: readonly (readonly [what: string, given: Partial<Refusal> & { text?: string }, kind: string])[] = [
  ['404 with an error for nobody', { text: answer('null') }, 'session-gone'],
  ['404 without a body', {}, 'session-gone'],
  ['404 with a page', { text: '<html>', isJson: false }, 'session-gone'],
  ['400 with an error for nobody', { status: 400, text: answer('null') }, 'session-gone'],
  ['400 that answers the request', { status: 400, text: answer('1') }, 'answer'],
  ['404 that answers the request', { text: answer('1') }, 'answer'],
  ['404 without a session', { text: answer('null'), hasSession: false }, 'answer'],
  ['404 of a web application', { text: '{"detail":"Not Found"}', hasSession: false }, 'no-mcp'],
  ['401', { status: 401, text: answer('null') }, 'unauthorized'],
  ['403 of a server', { status: 403, text: answer('null') }, 'answer'],
  ['403 of somebody else', { status: 403, text: 'no', isJson: false }, 'unauthorized'],
  ['500 with an error for the request', { status: 500, text: answer('1') }, 'answer'],
  ['500 with a stack trace', { status: 500, text: 'Error: x\n at y', isJson: false }, 'no-mcp'],
  ['502', { status: 502, isJson: false, text: '<html><body>Bad Gateway</body></html>' }, 'no-mcp'],
];

for (const [what, { text = '', ...given }, kind] of cases) {
  test(`P8 what a refusal means: ${what}`, () => {
    assert.equal(outcomeOf({ ...asked, body: Buffer.from(text), ...given }).kind, kind);
  });
}

test('P7 what is no message is told by its first lines, without its markup', () => {
  assert.equal(firstLines('Traceback:\r\n\n  File "a.py"\n'), 'Traceback:\nFile "a.py"');
  const page =
    '<!DOCTYPE html><html><head><title>Error</title><style>b{}</style></head><body><pre>Cannot POST /mcp<br>at x</pre></body></html>';
  assert.equal(firstLines(page), 'Error Cannot POST /mcp\nat x');
  assert.equal(firstLines('x'.repeat(2000)).length, 801);
});
