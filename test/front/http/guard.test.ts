/** Who is admitted: Host, Origin and token on every route and method, and the tricks that must not work. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admit, type Admission, type GuardOptions, type RequestFacts } from '#src/front/http/guard.js';
import { isSameToken } from '#src/front/http/same-token.js';
import { fc } from '../../support/property.js';

const routes = ['mcp', 'sse', 'message', 'health', 'unknown'] as const;
const methods = ['GET', 'POST', 'DELETE', 'PUT', 'HEAD', 'OPTIONS'] as const;
const open: GuardOptions = { host: '127.0.0.1', token: undefined, allowedHosts: [], allowedOrigins: [] };

function ask(headers: RequestFacts['headers'], options: Partial<GuardOptions> = {}, facts: Partial<RequestFacts> = {}) {
  return admit({ method: 'POST', route: 'mcp', headers, ...facts }, { ...open, ...options }, isSameToken);
}

const statusOf = (admission: Admission): number | string =>
  admission.kind === 'refused' ? admission.status : admission.kind;

const everywhere = routes.flatMap((route) => methods.map((method) => ({ route, method })));

for (const [host, expected] of [
  ['127.0.0.1', 'admitted'],
  ['127.0.0.1:6280', 'admitted'],
  ['127.8.9.255:1', 'admitted'],
  ['localhost', 'admitted'],
  ['localhost:6280', 'admitted'],
  ['LocalHost:6280', 'admitted'],
  ['[::1]', 'admitted'],
  ['[::1]:6280', 'admitted'],
  ['[0:0:0:0:0:0:0:1]:6280', 'admitted'],
  ['', 403],
  ['evil.com', 403],
  ['evil.com:127', 403],
  ['localhost.evil.com', 403],
  ['localhost.', 403],
  ['evil.localhost', 403],
  ['127.0.0.1.evil.com', 403],
  ['127.0.0.1.', 403],
  ['127.0.0.256', 403],
  ['127.0.0.01', 403],
  ['127.1', 403],
  ['127', 403],
  ['2130706433', 403],
  ['0x7f.0.0.1', 403],
  ['0x7f000001', 403],
  ['0177.0.0.1', 403],
  ['0.0.0.0', 403],
  ['[::]', 403],
  ['::1', 403],
  ['[::1]evil', 403],
  ['[::1].evil.com', 403],
  ['[::1', 403],
  ['[::ffff:127.0.0.1]', 403],
  ['[::ffff:7f00:1]', 403],
  ['[::127.0.0.1]', 403],
  ['[::1%25lo]', 403],
  ['localhost@evil.com', 403],
  ['evil.com@localhost', 403],
  ['user:localhost@evil.com', 403],
  ['localhost:6280:evil.com', 403],
  ['localhost:', 403],
  ['localhost:+80', 403],
  ['localhost:999999', 403],
  ['localhost/', 403],
  ['localhost#', 403],
  ['localhost, localhost', 403],
  ['localhost evil.com', 403],
  [' localhost', 403],
  ['http://localhost', 403],
  ['loc\u0430lhost', 403],
] as const) {
  test(`P18 Host '${host}': ${expected}`, () => assert.equal(statusOf(ask({ host })), expected));
}

test('P18 no Host, and two of them, even equal ones, are refused', () => {
  assert.equal(statusOf(ask({})), 403);
  assert.equal(statusOf(ask({ host: ['localhost', 'evil.com'] })), 403);
  assert.equal(statusOf(ask({ host: ['localhost', 'localhost'] })), 403);
  assert.equal(statusOf(ask({ host: ['localhost:80'] })), 'admitted');
});

test('P18 --allowed-host admits a name with any port, or with the port that it has', () => {
  const allowedHosts = ['dev.example.com', 'box:8080', '[2001:db8::7]', '2001:db8::8', 'With.Upper'];
  for (const [host, expected] of [
    ['dev.example.com', 'admitted'],
    ['DEV.example.com:99', 'admitted'],
    ['box:8080', 'admitted'],
    ['box', 403],
    ['box:80', 403],
    ['[2001:db8::7]:6280', 'admitted'],
    ['[2001:DB8:0::8]', 'admitted'],
    ['with.upper:1', 'admitted'],
    ['a.dev.example.com', 403],
    ['dev.example.com.', 403],
  ] as const) {
    assert.equal(statusOf(ask({ host }, { allowedHosts })), expected, host);
  }
});

test('P18 the address that is listened on may be asked for, unless it stands for all', () => {
  for (const [own, host, expected] of [
    ['192.168.1.5', '192.168.1.5:6280', 'admitted'],
    ['192.168.1.5', '192.168.1.6:6280', 403],
    ['fe80::1', '[fe80::1]:6280', 'admitted'],
    ['Box', 'box', 'admitted'],
    ['0.0.0.0', '0.0.0.0:6280', 403],
    ['::', '[::]:6280', 403],
    ['0:0:0:0:0:0:0:0', '[::]', 403],
    ['', '192.168.1.5', 403],
  ] as const) {
    assert.equal(statusOf(ask({ host }, { host: own })), expected, `${own} ${host}`);
  }
});

for (const [origin, expected] of [
  ['http://localhost', 'admitted'],
  ['http://localhost:6274', 'admitted'],
  ['https://localhost:8443', 'admitted'],
  ['http://127.0.0.1:3000', 'admitted'],
  ['http://127.200.0.9', 'admitted'],
  ['http://[::1]:3000', 'admitted'],
  ['HTTP://LOCALHOST:3000', 'admitted'],
  ['null', 403],
  ['', 403],
  ['*', 403],
  ['http://evil.com', 403],
  ['http://localhost.evil.com', 403],
  ['http://127.0.0.1.evil.com', 403],
  ['http://evil.com:127', 403],
  ['http://localhost@evil.com', 403],
  ['http://evil.com@localhost', 403],
  ['http://[::1]evil', 403],
  ['http://[::ffff:127.0.0.1]', 403],
  ['http://2130706433', 403],
  ['http://localhost.', 403],
  ['http://localhost/', 403],
  ['http://localhost/evil.com', 403],
  ['http://localhost?evil', 403],
  ['http://localhost, http://evil.com', 403],
  ['file://', 403],
  ['file://localhost', 403],
  ['chrome-extension://localhost', 403],
  ['localhost', 403],
  ['//localhost', 403],
  ['http:localhost', 403],
] as const) {
  test(`P18 Origin '${origin}': ${expected}`, () => {
    const admission = ask({ host: 'localhost', origin });
    assert.equal(statusOf(admission), expected);
    if (expected === 403) assert.deepEqual(admission.kind === 'refused' && admission.headers, {});
  });
}

test('P18 two Origins are refused', () => {
  assert.equal(statusOf(ask({ host: 'localhost', origin: ['http://localhost', 'http://evil.com'] })), 403);
  assert.equal(statusOf(ask({ host: 'localhost', origin: [] })), 403);
});

test('P18 --allowed-origin is compared as an origin', () => {
  const allowedOrigins = ['https://app.example.com/', 'http://a.test:80', 'vscode-webview://0abc', 'null', '*'];
  for (const [origin, expected] of [
    ['https://app.example.com', 'admitted'],
    ['https://APP.example.com:443', 'admitted'],
    ['http://a.test', 'admitted'],
    ['vscode-webview://0abc', 'admitted'],
    ['http://app.example.com', 403],
    ['https://app.example.com:8443', 403],
    ['https://app.example.com.evil.com', 403],
    ['https://x.app.example.com', 403],
    ['null', 403],
  ] as const) {
    assert.equal(statusOf(ask({ host: 'localhost', origin }, { allowedOrigins })), expected, origin);
  }
});

test('P18 Host and Origin are checked on every route and method, health, unknown ones and OPTIONS too', () => {
  const options = { token: 'a-long-enough-token' };
  const authorization = 'Bearer a-long-enough-token';
  for (const facts of everywhere) {
    const name = `${facts.method} ${facts.route}`;
    assert.equal(statusOf(ask({ host: 'evil.com', authorization }, options, facts)), 403, name);
    assert.equal(statusOf(ask({ authorization }, options, facts)), 403, name);
    const foreign = { host: 'localhost', origin: 'http://evil.com', authorization };
    assert.equal(statusOf(ask(foreign, options, facts)), 403, name);
    assert.equal(statusOf(ask({ ...foreign, origin: 'null' }, options, facts)), 403, name);
  }
});

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

test('P18 never is anything else echoed than the origin that was sent, whatever it was', () => {
  const name = fc.constantFrom('localhost', '127.0.0.1', '[::1]', 'evil.com', '@', '.', ':', '80', 'null', '*', '/');
  const part = fc.oneof(name, fc.string({ maxLength: 3 }));
  const authority = fc.array(part, { maxLength: 4 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(authority, fc.constantFrom('http://', 'https://', ''), (rest, scheme) => {
      const origin = `${scheme}${rest}`;
      const admission = ask({ host: 'localhost', origin });
      if (admission.kind !== 'admitted') return;
      assert.equal(admission.headers['Access-Control-Allow-Origin'], origin);
      // The platform's own reading of an admitted origin is loopback too.
      assert.match(new URL(origin).hostname, /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/);
    }),
  );
});
