// The verdicts on calls of the agent's own tools, without processes: told from the server's, let through a hold or not,
// taken back, answered once. What the tools do is for test/e2e/agent.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerAgent, toolNames } from '#src/exchange/agent-calls.js';
import { answer, play, request, tell, type Play, beginHold, endHold, promote } from './play.js';

const call = (id: number, name: string, given: object = {}) => request(id, 'tools/call', { name, arguments: given });

function serving(): Play {
  const game = play({ agentTools: true });
  promote(game, 1);
  endHold(game);
  game.client(request(0, 'tools/list'));
  game.server(1, answer(0, { tools: [{ name: 'add' }] }));
  game.take();
  return game;
}

test('a call of ours goes to no server, one of the server’s does', () => {
  const game = serving();
  game.client(call(1, 'server_status'));
  game.client(call(2, 'add'));
  assert.deepEqual(
    game.calls.map(({ id, tool }) => [id, tool]),
    [['1', 'server_status']],
  );
  assert.deepEqual(game.take(), [[1, call(2, 'add')]]);
});

test('without the option there are none', () => {
  const game = play();
  promote(game, 1);
  endHold(game);
  game.client(call(1, 'server_status'));
  assert.equal(game.calls.length, 0);
  assert.equal(toolNames(game.session), undefined);
});

test('restart_server and server_status pass a hold, the others wait for its end', () => {
  const game = serving();
  beginHold(game);
  const names = ['list_server_tools', 'server_status', 'call_server_tool', 'restart_server', 'verify_server_restarted'];
  names.forEach((name, id) => game.client(call(id + 1, name)));
  const passed = (): string[] => game.calls.map(({ tool }) => tool);
  assert.deepEqual(passed(), ['server_status', 'restart_server']);
  endHold(game);
  assert.deepEqual(passed().slice(2), ['list_server_tools', 'call_server_tool', 'verify_server_restarted']);
});

test('P1 it is answered once, and not after it was taken back', () => {
  const game = serving();
  game.client(call(1, 'server_status'));
  game.client(call(2, 'server_status'));
  const [first, second] = game.calls;
  assert.ok(first && second);
  game.client(tell('notifications/cancelled', { requestId: 2 }));
  assert.deepEqual([first.signal.aborted, second.signal.aborted], [false, true]);
  for (const each of [first, first, second]) answerAgent(each, { content: [] });
  assert.deepEqual(game.take(), [['client', answer(1, { content: [] })]]);
});

test('before anybody has asked for the list, the server is asked whether the name is its own', () => {
  const game = play({ agentTools: true });
  game.tools = [{ name: 'server_status' }];
  promote(game, 1);
  endHold(game);
  game.client(call(1, 'server_status'));
  assert.deepEqual(game.take(), [[1, call(1, 'server_status')]]);
  game.client(call(2, 'hotline_server_status'));
  assert.equal(game.calls[0]?.tool, 'server_status');
  assert.equal(toolNames(game.session)?.server_status, 'hotline_server_status');
});

test('P1 two calls of ours under one id are answered once each', () => {
  const game = serving();
  game.client(call(1, 'server_status'));
  game.client(call(1, 'restart_server', { reason: 'why not' }));
  for (const own of game.calls) answerAgent(own, { content: [] });
  for (const own of game.calls) answerAgent(own, { content: [] });
  assert.equal(game.take().filter(([to]) => to === 'client').length, 2);
});
