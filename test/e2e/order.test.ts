// Order through real processes, under a load that fills every buffer on the way, in both directions at once.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture, fixtureCopy, startProxy } from '../support/harness.js';
import type { Message } from '../support/harness.js';

const count = 10_000;

for (const { mode, options } of [
  { mode: 'as a pass-through', options: { noReload: true, command: fixture('echo') } },
  { mode: 'with reloading', options: { command: fixtureCopy('echo') } },
]) {
  test(`P3 ${count} messages keep their order each way, ${mode}`, async (t) => {
    const peer = startProxy(t, options);
    const backwards = Array.from({ length: count }, (_, n) => `{"jsonrpc":"2.0","method":"back","params":${n}}\n`);
    const forth = Array.from({ length: count }, (_, n) =>
      n % 3 === 0
        ? `{"jsonrpc":"2.0","method":"n","params":{"n":${n}}}\n`
        : `{"jsonrpc":"2.0","id":${n},"method":"m","params":{"n":${n},"pad":"${'x'.repeat(n % 500)}"}}\n`,
    );
    void peer.send(Buffer.from(forth.slice(0, count / 2).join('')));
    const bytes = Buffer.from(backwards.join('')).toString('base64');
    void peer.request('raw', { bytes, chunk: 7_001 });
    for (const line of forth.slice(count / 2)) void peer.send(Buffer.from(line));
    const last = forth.at(-1)!.trimEnd();
    await peer.waitFor((message) => echoed(message) === last, 'the echo of the last message');

    const messages = peer.messages.map(({ message }) => message);
    assert.deepEqual(
      messages.filter(({ method }) => method === 'back').map(({ params }) => params),
      Array.from({ length: count }, (_, n) => n),
    );
    const echoes = messages.map(echoed).filter((line) => line !== undefined && !line.includes('"method":"raw"'));
    assert.deepEqual(
      echoes,
      forth.map((line) => line.trimEnd()),
    );
    assert.deepEqual(peer.duplicates, []);
  });
}

function echoed(message: Message): string | undefined {
  const line = message.result?.line ?? message.params?.line;
  return line === undefined ? undefined : Buffer.from(line, 'base64').toString();
}
