// The same bytes, through real processes and both ways: what leaves one side is what the other side reads, whatever the
// message holds and however it is cut on its way. The scanner's and the splitter's own properties are tested beside
// them.

import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { describe, test } from 'node:test';
import { fc } from '../support/property.js';
import { fixture, fixtureCopy, startProxy } from '../support/harness.js';
import type { Message, Started } from '../support/harness.js';

const exotic = {
  'integers beyond 2^53':
    '{"jsonrpc":"2.0","id":1,"method":"m","params":{"n":12345678901234567890,"m":-9007199254740993}}',
  'numbers as they are written': '{"jsonrpc":"2.0","id":2,"method":"m","params":[1.0,-0,1e2,1E+2,0.10,1e400]}',
  'duplicate keys': '{"jsonrpc":"2.0","id":3,"method":"m","params":{"a":1,"a":2,"a":{"a":3,"a":4}}}',
  'escapes as they are written':
    '{"jsonrpc":"2.0","id":4,"method":"m","params":"\\u00e9 \\/ \\n \\ud83d\\ude00 \\ud800 \\u0000"}',
  'unknown top-level members': '{"trace":{"id":9,"method":"no"},"jsonrpc":"2.0","id":5,"method":"m","extra":[null]}',
  'keys in another order, with white space':
    ' {\t"params" : { "id" : 99 } ,"method":"m" , "id" : 6 , "jsonrpc":"2.0" }  ',
  'envelope words inside strings':
    '{"jsonrpc":"2.0","id":7,"method":"m","params":"\\"id\\":8,\\"method\\":\\"x\\",\\"result\\":{}"}',
  'characters of two, three and four bytes':
    '{"jsonrpc":"2.0","id":8,"method":"m","params":"é 日本 😀 \u2028\u2029 \u007f"}',
  'the id 0': '{"jsonrpc":"2.0","id":0,"method":"m"}',
  'an empty id': '{"jsonrpc":"2.0","id":"","method":"m"}',
  'the id null': '{"jsonrpc":"2.0","id":null,"method":"m"}',
  'a negative id': '{"jsonrpc":"2.0","id":-12,"method":"m"}',
  'an id beyond 2^53': '{"jsonrpc":"2.0","id":98765432109876543210,"method":"m"}',
  'an escaped id': '{"jsonrpc":"2.0","id":"\\u0061\\"b","method":"m"}',
  'a notification': '{"jsonrpc":"2.0","method":"notifications/x","params":{"n":1.0}}',
  'a batch':
    '[{"jsonrpc":"2.0","id":21,"method":"m","params":1.0},{"jsonrpc":"2.0","method":"n"} , {"jsonrpc":"2.0","id":22,"method":"m"}]',
  'a carriage return before the newline': '{"jsonrpc":"2.0","id":30,"method":"m"}\r',
};
const notMessages = {
  'JSON cut short': '{"jsonrpc":"2.0","id":40,"method":',
  'no JSON at all': 'hello, server',
  'an empty line': '',
  'an empty batch': '[]',
  'a byte order mark': '\ufeff{"jsonrpc":"2.0","method":"n"}',
  'a number': '42',
};

const modes: { mode: string; start: (t: Parameters<typeof startProxy>[0]) => Started }[] = [
  { mode: 'as a pass-through', start: (t) => startProxy(t, { noReload: true, command: fixture('echo') }) },
  { mode: 'with reloading', start: (t) => startProxy(t, { command: fixtureCopy('echo') }) },
];

for (const { mode, start } of modes) {
  describe(`bytes ${mode}`, () => {
    test('P2 every kind of line from the client reaches the server as it was', async (t) => {
      const peer = start(t);
      for (const [what, line] of Object.entries({ ...exotic, ...notMessages })) {
        const seen = peer.messages.length;
        await peer.send(line);
        const { message } = await peer.waitFor(() => true, `the echo of ${what}`, { from: seen });
        assert.equal(echoed(message).toString(), line, what);
      }
      assert.deepEqual(peer.duplicates, []);
    });

    test('P2 bytes that are no UTF-8 reach the server as they were', async (t) => {
      const peer = start(t);
      const line = Buffer.concat([
        Buffer.from('{"jsonrpc":"2.0","method":"n","params":"'),
        Buffer.from([0xff, 0xc3, 0x28, 0]),
      ]);
      await peer.send(Buffer.concat([line, Buffer.from('"}\n')]));
      const { message } = await peer.waitFor(() => true, 'the echo');
      assert.deepEqual(echoed(message), Buffer.concat([line, Buffer.from('"}')]));
    });

    test('P2 notifications and requests from the server reach the client as they were', async (t) => {
      const peer = start(t);
      const lines = Object.values(exotic).map((line) => line.replaceAll('"id":', '"di":'));
      await peer.request('raw', { bytes: base64(`${lines.join('\n')}\n`) });
      assert.deepEqual(
        peer.messages.slice(0, -1).map(({ raw }) => raw.toString()),
        lines,
      );
    });

    test('P2 responses of the server reach the client as they were, with ids of every kind', async (t) => {
      const peer = start(t);
      const ids = ['0', '""', '"a b"', '-7', '12345678901234567890', '1.50', '1e2', '"\\u0061\\/"', '"😀"'];
      for (const id of ids) {
        const line = `{"extra":1.0,"result":{"a":1,"a":12345678901234567890,"id":"no"} ,"jsonrpc":"2.0", "id": ${id}}`;
        const seen = peer.messages.length;
        await peer.send(
          `{"jsonrpc":"2.0","id":${id},"method":"raw","params":{"silent":true,"bytes":"${base64(`${line}\r\n`)}"}}`,
        );
        const { raw } = await peer.waitFor(() => true, `the response to ${id}`, { from: seen });
        assert.equal(raw.toString(), `${line}\r`);
      }
    });

    test('P2 a message written byte by byte arrives whole, both ways', async (t) => {
      const peer = start(t);
      const line = '{"jsonrpc":"2.0","id":"bytes","method":"m","params":"é 日本 😀 \\u00e9 12345678901234567890"}';
      for (const byte of Buffer.from(`${line}\n`)) {
        await peer.send(Buffer.of(byte));
        await setImmediate();
      }
      assert.equal(echoed(await peer.response('bytes')).toString(), line);
      const back = '{"jsonrpc":"2.0","method":"n","params":"é 日本 😀 \\u00e9 1.0"}';
      const seen = peer.messages.length;
      await peer.request('raw', { bytes: base64(`${back}\n`), chunk: 1 });
      assert.equal(peer.messages[seen]?.raw.toString(), back);
    });

    test('P2 a line of 64 MiB passes each way', { timeout: 120_000 }, async (t) => {
      const peer = start(t);
      const data = Buffer.alloc(64 * 1024 * 1024, 'aé日😀 \\u00e9 \\" 1.0 ');
      data.subarray(-64).fill('x'); // The pattern may end inside a character or an escape.
      const line = Buffer.concat([
        Buffer.from('{"jsonrpc":"2.0","id":"big","method":"m","params":"'),
        data,
        Buffer.from('"}'),
      ]);
      void peer.send(Buffer.concat([line, Buffer.from('\n')]));
      await peer.response('big', { deadline: 90_000 });
      const echo = `{"jsonrpc":"2.0","id":"big","result":{"line":"${line.toString('base64')}"}}`;
      assert.ok(peer.messages[0]?.raw.equals(Buffer.from(echo)), 'the line differs');
      assert.equal(peer.messages.length, 1);
    });
  });
}

test('P2 random messages at random chunk boundaries, both ways', { timeout: 120_000 }, async (t) => {
  const peer = startProxy(t, { noReload: true, command: fixture('echo') });
  const params = fc.oneof(fc.json(), fc.json({ stringUnit: 'binary' }), fc.bigInt().map(String));
  const cuts = fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(fc.array(params, { minLength: 1, maxLength: 8 }), cuts, async (values, sizes) => {
      const lines = values.map((value) => `{"jsonrpc":"2.0","method":"n","params":[${value}]}`);
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      const seen = peer.messages.length;
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const size = sizes[turn % sizes.length]!;
        await peer.send(bytes.subarray(at, at + size));
        at += size;
        await setImmediate();
      }
      await peer.request('raw', { bytes: bytes.toString('base64'), chunk: sizes[0] });
      const received = peer.messages.slice(seen, -1);
      const [there, back] = [received.slice(0, lines.length), received.slice(lines.length)];
      assert.deepEqual(
        there.map(({ message }) => echoed(message).toString()),
        lines,
      );
      assert.deepEqual(
        back.map(({ raw }) => raw.toString()),
        lines,
      );
    }),
    { numRuns: 40 },
  );
});

test('P2 what follows the last newline is handed on when the client ends', async (t) => {
  const peer = startProxy(t, { noReload: true, command: fixture('echo') });
  const line = '{"jsonrpc":"2.0","id":"last","method":"m"}';
  await peer.send(Buffer.from(line));
  peer.end();
  assert.equal(echoed(await peer.response('last')).toString(), line);
  assert.equal((await peer.finished()).code, 0);
});

/** The bytes that the echo server says it received. */
function echoed(message: Message): Buffer {
  const one = [message].flat()[0]!;
  return Buffer.from((one.result ?? one.params).line, 'base64');
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
