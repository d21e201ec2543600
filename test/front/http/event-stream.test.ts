/** A stream that nothing is sent on: what keeps it open is well-formed, whichever way the client reads a body. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { text } from 'node:stream/consumers';
import { EventStream } from '#src/front/http/event-stream.js';
import { Message } from '#src/wire/message.js';
import { cleanup } from '../../support/cleanup.js';

const KEPT_OPEN = ': still here\n\n';
const EVENT = 'event: message\ndata: {"a":1}\n\n';

/** Has a client open a stream, which is kept open twice, gets a message in between, and ends. */
async function keptOpen(t: TestContext, read: (port: number) => Promise<string>): Promise<string> {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const server = createServer((_, response) => {
    const stream = new EventStream(response, {}, { full: () => {}, closed: () => {} });
    t.mock.timers.tick(15_000);
    stream.send(Message.fromJson('{"a":1}'));
    setImmediate(() => {
      t.mock.timers.tick(15_000);
      stream.end();
    });
  });
  cleanup(t, () => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return read((server.address() as AddressInfo).port);
}

test('P12 a comment every 15 s keeps a stream open, between whole messages', async (t) => {
  const body = await keptOpen(t, async (port) => (await fetch(`http://127.0.0.1:${port}/`)).text());
  assert.equal(body, KEPT_OPEN + EVENT + KEPT_OPEN);
});

test('P12 so it is for a client that knows no chunks', async (t) => {
  const answer = await keptOpen(t, async (port) => {
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.0\r\nHost: localhost\r\n\r\n');
    return text(socket);
  });
  assert.equal(answer.split('\r\n\r\n')[1], KEPT_OPEN + EVENT + KEPT_OPEN);
});
