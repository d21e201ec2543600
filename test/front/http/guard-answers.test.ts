/** The token, and what the guard says to those whom it admits and refuses. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequestFacts } from '#src/front/http/guard.js';
import { ask, everywhere, statusOf } from './guarded.js';

test('P18 the token is needed everywhere but for OPTIONS and health', () => {
  for (const facts of everywhere) {
    const expected = facts.method === 'OPTIONS' ? 'preflight' : facts.route === 'health' ? 'admitted' : 401;
    const status = statusOf(ask({ host: 'localhost' }, { token: 'secret-token' }, facts));
    assert.equal(status, expected, `${facts.method} ${facts.route}`);
  }
});

for (const [authorization, expected] of [
  ['Bearer secret-token', 'admitted'],
  ['bearer secret-token', 'admitted'],
  ['BEARER   secret-token ', 'admitted'],
  [['Bearer secret-token'], 'admitted'],
  [['Bearer secret-token', 'Bearer secret-token'], 401],
  [undefined, 401],
  ['', 401],
  ['Bearer', 401],
  ['Bearer ', 401],
  ['Bearer secret-toke', 401],
  ['Bearer secret-token2', 401],
  ['Bearer Secret-Token', 401],
  ['Bearer wrong secret-token', 401],
  ['Basic secret-token', 401],
  ['secret-token', 401],
  ['Bearersecret-token', 401],
] as const) {
  test(`P18 Authorization ${JSON.stringify(authorization)}: ${expected}`, () => {
    const admission = ask({ host: 'localhost', authorization }, { token: 'secret-token' });
    assert.equal(statusOf(admission), expected);
    if (admission.kind === 'refused') assert.deepEqual(admission.headers, { 'WWW-Authenticate': 'Bearer' });
  });
}

test('P18 no token of a refusal is repeated, and the empty token admits nobody', () => {
  const refusal = ask({ host: 'localhost', authorization: 'Bearer guess-1' }, { token: 'secret-token' });
  assert.doesNotMatch(JSON.stringify(refusal), /guess-1|secret-token/);
  assert.equal(statusOf(ask({ host: 'localhost', authorization: 'Bearer ' }, { token: '' })), 401);
});

test('a page that may ask gets its own origin back, and may read a 401', () => {
  const headers = { host: 'localhost', origin: 'http://localhost:6274' };
  const cors = {
    'Access-Control-Allow-Origin': 'http://localhost:6274',
    Vary: 'Origin',
    'Access-Control-Expose-Headers': 'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate',
  };
  assert.deepEqual(ask(headers), { kind: 'admitted', headers: cors });
  const refused = ask(headers, { token: 'secret-token' });
  assert.deepEqual(refused.headers, { ...cors, 'WWW-Authenticate': 'Bearer' });
  assert.deepEqual(ask({ host: 'localhost' }), { kind: 'admitted', headers: {} });
});

test('a preflight allows the headers of MCP and of every client, and no others', () => {
  const preflight = (requested?: string) =>
    ask(
      {
        host: 'localhost',
        origin: 'https://app.test',
        'access-control-request-method': 'POST',
        'access-control-request-headers': requested,
      },
      { allowedOrigins: ['https://app.test'], token: 'secret-token' },
      { method: 'OPTIONS' },
    );
  const asked =
    'Content-Type,accept, AUTHORIZATION ,last-event-id,Mcp-Session-Id,mcp-protocol-version,Mcp-Param-Region';
  assert.deepEqual(preflight(`${asked}, x-evil, mcp-, mcp-a b, cookie`), {
    kind: 'preflight',
    headers: {
      'Access-Control-Allow-Origin': 'https://app.test',
      Vary: 'Origin',
      'Access-Control-Expose-Headers': 'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate',
      'Access-Control-Allow-Methods': 'GET, POST, DELETE, OPTIONS',
      'Access-Control-Allow-Headers':
        'content-type, accept, authorization, last-event-id, mcp-session-id, mcp-protocol-version, mcp-param-region',
      'Access-Control-Max-Age': '600',
    },
  });
  assert.equal(preflight().headers['Access-Control-Allow-Headers'], undefined);
});

test('OPTIONS that is no preflight says what there is, and nothing of origins', () => {
  assert.deepEqual(ask({ host: 'localhost' }, { token: 'secret-token' }, { method: 'OPTIONS' }), {
    kind: 'preflight',
    headers: { Allow: 'GET, POST, DELETE, OPTIONS' },
  });
});

test('a refusal says what is right, and repeats only what reads as a name', () => {
  const text = (headers: RequestFacts['headers']): string => {
    const admission = ask(headers, { token: 'secret-token' });
    return admission.kind === 'refused' ? admission.text : '';
  };
  assert.match(text({ host: 'box.lan:80' }), /--allowed-host box\.lan\.$/);
  assert.match(text({ host: '[fe80::1]:80' }), /--allowed-host \[fe80::1\]\.$/);
  assert.match(text({ host: 'localhost', origin: 'https://app.test' }), /--allowed-origin https:\/\/app\.test\.$/);
  assert.match(text({ host: 'localhost' }), /--token/);
  assert.doesNotMatch(text({ host: '<script>' }), /script/);
  assert.doesNotMatch(text({ host: 'localhost', origin: 'http://<script>' }), /script/);
});
