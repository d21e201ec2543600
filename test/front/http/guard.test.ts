/** Who is admitted, by Host and Origin on every route and method, and the tricks that must not work. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../support/property.js';
import { ask, everywhere, statusOf } from './guarded.js';

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
