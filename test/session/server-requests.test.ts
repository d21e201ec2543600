/** What servers ask a client: under ids used twice at once, and with requests that nobody ever answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServerRequests } from '#src/session/server-requests.js';

const [first, second, third] = [{ generation: 1 }, { generation: 2 }, { generation: 3 }];

test('P12 of the requests of lost generations only the newest thousand are remembered', () => {
  const requests = new ServerRequests<object & { generation: number }>();
  const ids = Array.from({ length: 1200 }, (_, id) => String(id));
  for (const id of ids) requests.add(id, first, 'sampling/createMessage', undefined);
  for (const id of ids) requests.abandon(id);
  assert.equal(requests.complete('199'), undefined);
  assert.equal(requests.complete('200')?.isAbandoned, true);
  assert.equal(requests.complete('1199')?.isAbandoned, true);
});

test('P10 a request is found by the id that its server gave it, whatever the client sees', () => {
  const requests = new ServerRequests<object & { generation: number }>();
  const one = requests.add('0', first, 'sampling/createMessage', undefined);
  const other = requests.add('0', second, 'sampling/createMessage', undefined);
  assert.equal(one.clientId, '0');
  assert.notEqual(other.clientId, '0');
  assert.equal(requests.find('0', second), other);
  assert.equal(requests.find('0', third), undefined);
  assert.equal(requests.complete(other.clientId)?.upstream, second);
});
