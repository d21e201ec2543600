/** Targets of requests and the endpoints that they lead to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routeOf, sessionIdOf } from '#src/front/http/route.js';

test('the endpoints are paths, and nothing else leads to one', () => {
  for (const [target, route] of [
    ['/mcp', 'mcp'],
    ['/mcp?x=1', 'mcp'],
    ['/sse', 'sse'],
    ['/message?sessionId=a', 'message'],
    ['/health', 'health'],
    ['/', 'unknown'],
    ['/mcp/', 'unknown'],
    ['//mcp', 'unknown'],
    ['/MCP', 'unknown'],
    ['/%6dcp', 'unknown'],
    ['/x/../mcp', 'unknown'],
    ['*', 'unknown'],
    ['', 'unknown'],
    ['/constructor', 'unknown'],
  ] as const) {
    assert.equal(routeOf(target), route, target);
  }
});

test('P18 a target that names a host of its own leads nowhere', () => {
  assert.equal(routeOf('http://evil.com/mcp'), 'unknown');
  assert.equal(routeOf('http://localhost/mcp'), 'unknown');
  assert.equal(routeOf('evil.com:443'), 'unknown');
});

test('the session of a message is in its query', () => {
  assert.equal(sessionIdOf('/message?sessionId=ab-c'), 'ab-c');
  assert.equal(sessionIdOf('/message?x=1&sessionId=a%20b'), 'a b');
  assert.equal(sessionIdOf('/message?sessionid=a'), undefined);
  assert.equal(sessionIdOf('/message'), undefined);
});
