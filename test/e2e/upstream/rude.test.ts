// Servers that speak HTTP and behave badly: pages of a framework in place of answers, answers that break off, 5xx while
// they start. Whatever it is, the client gets an answer that says what came, and the session goes on.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fixture } from '../../support/harness.js';
import { behind, type UpstreamProject } from '../../support/upstream-project.js';

const PATIENCE = { deadline: 60_000 };

/** The whole answer to a call, as text. */
async function answer(server: UpstreamProject): Promise<string> {
  return JSON.stringify(await server.request('tools/call', { name: 'answer', arguments: {} }, PATIENCE));
}

/** The server misbehaves as long as its file says so. */
function turning(manner: string): string[] {
  const [node = '', file = ''] = fixture('http-rude');
  const source = `process.argv[2] = require('node:fs').readFileSync('src/behaviour.json', 'utf8').includes('fine') ? 'none' : ${JSON.stringify(manner)}; import(${JSON.stringify(file)});`;
  return [node, '-e', source, '--', ''];
}

describe('servers that speak HTTP badly', { concurrency: 2 }, () => {
  for (const [manner, expected] of [
    ['html-500-calls', /HTTP 500.*Internal Server Error/],
    ['trace-calls', /HTTP 500.*TypeError: x is not a function/],
    ['cuts-calls', /may or may not have taken effect/],
    ['ends-calls', /may or may not have taken effect/],
  ] as const) {
    test(`P1 P8 a call that is answered with ${manner} says so, and a mended server answers in the same session`, async (t) => {
      const server = await behind(t, 'v1 stateful', { command: turning(manner) });
      assert.match(await answer(server), expected);
      const { result } = await server.request('tools/list');
      assert.deepEqual(
        result.tools.map(({ name }: { name: string }) => name),
        ['answer'],
      );
      server.say({ answer: 'fine' });
      assert.equal(await server.call(), 'fine');
    });
  }

  test('P1 a server that says nothing before it answers hears of the end of a call', async (t) => {
    const server = await behind(t, 'v1 stateless', { command: fixture('http-rude', 'silent-calls-told') });
    const params = { name: 'answer', arguments: {} };
    const answered = server.request('tools/call', params, { ...PATIENCE, id: 'to be taken back' }).catch(() => {});
    await server.waitForLog(/got tools\/call/, PATIENCE);
    await server.notify('notifications/cancelled', { requestId: 'to be taken back' });
    await server.waitForLog(/got notifications\/cancelled/, PATIENCE);
    server.end();
    await answered;
  });

  test('P16 a server that refuses server/discover in no words of MCP is one of the older era', async (t) => {
    const command = fixture('http-rude', 'html-404-discover');
    const server = await behind(t, 'v1 stateless', { command, isUnopened: true });
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    const { error } = await server.request('server/discover', { _meta: meta }, PATIENCE);
    assert.equal(error?.code, -32601, server.transcript());
    assert.match(error.message, /HTTP 404/, 'what the server said, and not what is said of one that is not there');
    await server.initialize();
    assert.equal(await server.call(), 'one');
  });

  test('P15 a server that answers 500 while it starts is waited for', async (t) => {
    const server = await behind(t, 'v1 stateful', { command: fixture('http-rude', 'starts-with-500', '2000') });
    assert.equal(await server.call(), 'one');
    server.say({ answer: 'two' });
    assert.equal(await server.call(), 'two');
  });

  test('P15 a server that listens late is waited for, and an edit meanwhile is not lost', async (t) => {
    const server = await behind(t, 'python', { env: { DELAY_MS: '2500' } });
    assert.equal(await server.call(), 'one');
    server.say({ answer: 'two' });
    const first = server.call();
    server.say({ answer: 'three' });
    assert.equal(await server.call(), 'three');
    assert.equal(await first, 'three');
  });

  for (const [manner, expected] of [
    ['always-500', /HTTP 500: Starting/],
    ['html-404', /HTTP 404: Cannot POST \/mcp/],
    ['redirects', /HTTP 307/],
    ['silent', /did not answer the handshake/],
  ] as const) {
    test(`P7 a new generation with ${manner} is not taken, and the failure says what came`, async (t) => {
      const server = await behind(t, 'v1 stateful', {
        command: turning(manner),
        says: { answer: 'fine' },
        options: ['--start-timeout', '1500'],
      });
      assert.equal(await server.call(), 'fine');
      server.say({ answer: 'bad' });
      assert.match(await answer(server), expected);
      server.say({ answer: 'fine again' });
      assert.equal(await server.call(), 'fine again');
    });
  }
});
