// The event bus: who gets which event, that no listener can harm another one or whoever emits, and what is waited for.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEventBus, withOrigin } from '#src/events/bus.js';
import type { HotlineEvent } from '#src/events/events.js';
import { stderrLines } from '#src/events/stderr-lines.js';

const closed: HotlineEvent = { kind: 'closed' };

test('every listener of a kind gets its events, in the order in which they subscribed, until it ends that', () => {
  const bus = createEventBus();
  const seen: string[] = [];
  bus.subscribe(['closed', 'drained'], ({ kind }) => void seen.push(`a ${kind}`));
  const other = bus.subscribe(['closed'], ({ kind }) => void seen.push(`b ${kind}`));
  bus.emit(closed);
  bus.emit({ kind: 'drained', generation: 1 });
  bus.emit({ kind: 'hashed', ms: 1 });
  other[Symbol.dispose]();
  bus.emit(closed);
  assert.deepEqual(seen, ['a closed', 'b closed', 'a drained', 'a closed']);
});

test('an event is wanted as long as somebody listens', () => {
  const bus = createEventBus();
  assert.equal(bus.wants('traffic'), false);
  const listeners = [bus.subscribe(['traffic', 'stderr'], () => {}), bus.subscribe(['traffic'], () => {})];
  assert.equal(bus.wants('traffic'), true);
  listeners[0]?.[Symbol.dispose]();
  assert.deepEqual([bus.wants('traffic'), bus.wants('stderr')], [true, false]);
  listeners[1]?.[Symbol.dispose]();
  assert.equal(bus.wants('traffic'), false);
});

test('a listener that throws is reported once, and the others get the event all the same', () => {
  const bus = createEventBus();
  const warnings: string[] = [];
  let calls = 0;
  bus.subscribe(['warning'], ({ text }) => void warnings.push(text));
  bus.subscribe(['closed'], () => {
    throw new Error('no');
  });
  bus.subscribe(['closed'], () => void calls++);
  bus.emit(closed);
  bus.emit(closed);
  assert.equal(calls, 2);
  assert.deepEqual(warnings, [
    'a listener of the event "closed" has failed: no. Further failures of it are not reported',
  ]);
});

test('a listener of warnings that throws ends nothing', () => {
  const bus = createEventBus();
  const warnings: string[] = [];
  bus.subscribe(['warning'], () => {
    throw new Error('no');
  });
  bus.subscribe(['warning'], ({ text }) => void warnings.push(text));
  bus.emit({ kind: 'warning', text: 'a' });
  assert.equal(warnings.length, 2);
});

test('emit waits for nobody; flushed() waits for what listeners have begun to write, and for failures too', async () => {
  const bus = createEventBus();
  const warnings: string[] = [];
  let written = false;
  let write = (): void => {};
  bus.subscribe(['warning'], ({ text }) => void warnings.push(text));
  bus.subscribe(['closed'], async () => {
    await new Promise<void>((resolve) => (write = resolve));
    written = true;
  });
  bus.subscribe(['closed'], () => Promise.reject(new Error('full')));
  bus.emit(closed);
  assert.equal(written, false);
  const flushed = bus.flushed();
  write();
  await flushed;
  assert.equal(written, true);
  assert.equal(warnings.length, 1);
  await bus.flushed();
});

test('events of a project or a session say so', () => {
  const bus = createEventBus();
  const seen: HotlineEvent[] = [];
  bus.subscribe(['closed'], (event) => void seen.push(event));
  const scoped = withOrigin(withOrigin(bus, { project: '/p' }), { session: 's' });
  scoped.emit(closed);
  assert.deepEqual(seen, [{ project: '/p', session: 's', kind: 'closed' }]);
});

test('who belongs to a session hears its own events and those that concern all, not those of other sessions', () => {
  const bus = createEventBus();
  const project = withOrigin(bus, { project: '/p' });
  const [one, other] = [withOrigin(project, { session: 'one' }), withOrigin(project, { session: 'other' })];
  const seen: string[] = [];
  one.subscribe(['drained'], ({ generation }) => void seen.push(`one ${generation}`));
  project.subscribe(['drained'], ({ generation }) => void seen.push(`project ${generation}`));
  other.emit({ kind: 'drained', generation: 1 });
  one.emit({ kind: 'drained', generation: 2 });
  project.emit({ kind: 'drained', generation: 3 });
  withOrigin(bus, { project: '/q' }).emit({ kind: 'drained', generation: 4 });
  assert.deepEqual(seen, ['project 1', 'one 2', 'project 2', 'one 3', 'project 3']);
});

test('stderr becomes lines while somebody listens, however it is cut into chunks', () => {
  const bus = createEventBus();
  const push = stderrLines(bus, 3);
  push(Buffer.from('nobody hears this\n'));
  const lines: string[] = [];
  bus.subscribe(['stderr'], ({ line, generation }) => void lines.push(`${generation} ${line}`));
  const bytes = Buffer.from('one\r\ntwö\n\nrest');
  for (const byte of bytes) push(Buffer.from([byte]));
  assert.deepEqual(lines, ['3 one', '3 twö', '3 ']);
  push();
  assert.deepEqual(lines.slice(3), ['3 rest']);
  push(Buffer.from('x'.repeat(200_000)));
  assert.equal(lines.length, 5);
});
