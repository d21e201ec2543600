/** The clock of a call that has no answer: when it runs, when it stands still, and what becomes of the call. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giveUpCall, unansweredCalls } from '#src/exchange/silent-calls.js';
import { answer, demote, drop, beginHold, play, promote, endHold, request, tell, type Play } from './play.js';
import { shared } from './several.js';

function started(options: Parameters<typeof play>[0] = {}): Play {
  const game = play(options);
  promote(game, 1);
  endHold(game);
  return game;
}

const call = (id: number | string, more: object = {}): object => request(id, 'tools/call', { name: 'slow', ...more });
const withToken = (id: number, token: string): object => call(id, { _meta: { progressToken: token } });
const progress = (token: string, value: number): object =>
  tell('notifications/progress', { progressToken: token, progress: value });

/** How long each call has been silent, in the order in which they were sent. */
const silences = ({ lineage }: Play): number[] => unansweredCalls(lineage).map(({ silentMs }) => silentMs);

function giveUp(game: Play, limitMs = 5000): void {
  for (const each of unansweredCalls(game.lineage)) giveUpCall(each, limitMs);
}

const rows: [name: string, plays: (game: Play) => void, silentMs: number[]][] = [
  [
    'it starts when the call is written to the server',
    (game) => ((game.now = 100), game.client(call(1)), (game.now = 350)),
    [250],
  ],
  ['an answer ends it', (game) => (game.client(call(1)), (game.now = 350), game.server(1, answer(1))), []],
  [
    'so does the client',
    (game) => (game.client(call(1)), game.client(tell('notifications/cancelled', { requestId: 1 }))),
    [],
  ],
  ['other requests have none', (game) => game.client(request(1, 'resources/read', { uri: 'x' })), []],
  [
    'progress starts it anew',
    (game) => {
      game.client(withToken(1, 'p'));
      game.now = 300;
      game.server(1, progress('p', 1));
      game.now = 400;
    },
    [100],
  ],
  [
    'progress of another call does not',
    (game) => {
      game.client(withToken(1, 'p'));
      game.client(withToken(2, 'q'));
      game.now = 300;
      game.server(1, progress('q', 1));
      game.now = 400;
    },
    [400, 100],
  ],
  [
    'it stands still while the server waits for the client',
    (game) => {
      game.client(call(1));
      game.now = 100;
      game.server(1, request('q', 'elicitation/create'));
      game.now = 1000;
    },
    [100],
  ],
  [
    'and goes on with the answer',
    (game) => {
      game.client(call(1));
      game.now = 100;
      game.server(1, request('q', 'sampling/createMessage'));
      game.now = 1000;
      game.client(answer('q'));
      game.now = 1050;
    },
    [150],
  ],
  [
    'two questions stop it once',
    (game) => {
      game.client(call(1));
      game.now = 100;
      game.server(1, request('q', 'sampling/createMessage'));
      game.now = 200;
      game.server(1, request('r', 'elicitation/create'));
      game.now = 300;
      game.client(answer('q'));
      game.now = 400;
      game.client(answer('r'));
      game.now = 450;
    },
    [150],
  ],
  [
    'a call that begins meanwhile has not waited before',
    (game) => {
      game.client(call(1));
      game.server(1, request('q', 'elicitation/create'));
      game.now = 200;
      game.client(call(2));
      game.now = 300;
      game.client(answer('q'));
      game.now = 400;
    },
    [100, 100],
  ],
  [
    'after a question it goes on from the last progress, and not from the beginning',
    (game) => {
      game.client(withToken(1, 'p'));
      game.now = 90;
      game.server(1, progress('p', 1));
      game.now = 100;
      game.server(1, request('q', 'elicitation/create'));
      game.now = 1000;
      game.client(answer('q'));
      game.now = 1050;
    },
    [60],
  ],
  [
    'progress beside a question starts it anew',
    (game) => {
      game.client(withToken(1, 'p'));
      game.now = 100;
      game.server(1, request('q', 'elicitation/create'));
      game.now = 300;
      game.server(1, progress('p', 1));
      game.now = 1000;
      game.client(answer('q'));
      game.now = 1050;
    },
    [50],
  ],
  [
    'a question that the server takes back is waited for no longer',
    (game) => {
      game.client(call(1));
      game.server(1, request('q', 'elicitation/create'));
      game.now = 200;
      game.server(1, tell('notifications/cancelled', { requestId: 'q' }));
      game.now = 260;
    },
    [60],
  ],
  [
    'no call waits for the answer to a ping',
    (game) => {
      game.client(call(1));
      game.server(1, request('q', 'ping'));
      game.now = 200;
    },
    [200],
  ],
  [
    'a call that is held has none',
    (game) => {
      beginHold(game);
      game.client(call(1));
      game.now = 500;
    },
    [],
  ],
  [
    'it starts when the hold ends',
    (game) => {
      beginHold(game);
      game.client(call(1));
      game.now = 500;
      endHold(game);
      game.now = 520;
    },
    [20],
  ],
  [
    'a call that is sent again after a crash has waited for the new server alone',
    (game) => {
      game.upstream(1).retrySafeTools = new Set(['slow']);
      game.client(call(1));
      game.now = 500;
      beginHold(game);
      drop(game, 1);
      promote(game, 2);
      endHold(game);
      game.now = 600;
    },
    [100],
  ],
  [
    'progress that the client has seen before from another server starts it anew too',
    (game) => {
      game.upstream(1).retrySafeTools = new Set(['slow']);
      game.client(withToken(1, 'p'));
      game.server(1, progress('p', 5));
      beginHold(game);
      drop(game, 1);
      promote(game, 2);
      endHold(game);
      game.now = 300;
      game.server(2, progress('p', 1));
      game.now = 320;
      game.server(2, progress('p', 2));
      assert.equal(game.sent.filter(([to]) => to === 'client').length, 1, 'the client is not told of less than before');
      game.now = 400;
    },
    [80],
  ],
  [
    'a generation that drains is waited for too',
    (game) => {
      game.client(call(1));
      demote(game);
      promote(game, 2);
      game.now = 70;
    },
    [70],
  ],
];
for (const [name, plays, silentMs] of rows)
  test(`the clock of a call: ${name}`, () => {
    const game = started();
    plays(game);
    assert.deepEqual(silences(game), silentMs);
  });

test('the clock of a call: it does not run while the call waits for its turn under --concurrency', () => {
  const game = started({ concurrency: 1 });
  game.client(call(1));
  game.client(call(2));
  game.now = 100;
  assert.deepEqual(silences(game), [100]);
  game.server(1, answer(1));
  game.now = 130;
  assert.deepEqual(silences(game), [30]);
});

test('P1 a call that is given up is answered once: the server is told to cancel it, and what it says later is nobody’s', () => {
  const game = started();
  game.client(call(7));
  game.upstream(1).process.output.push(Buffer.from('waiting for the database\n'));
  giveUp(game);
  const [[to, told], [server, cancellation]] = game.take().slice(-2).toReversed() as [
    [string, Answered],
    [number, Told],
  ];
  assert.deepEqual([to, told.id, told.result?.isError], ['client', 7, true]);
  assert.match(
    told.result!.content[0]!.text,
    /neither an answer nor progress for this call of the tool "slow" in 5 s.*--call-timeout/,
  );
  assert.match(
    told.result!.content[0]!.text,
    /during this call:\n\nwaiting for the database\n\nIt may or may not have taken effect/,
  );
  assert.deepEqual([server, cancellation.method, cancellation.params.requestId], [1, 'notifications/cancelled', 7]);
  game.server(1, answer(7, { content: [] }));
  game.server(1, answer(7, { content: [] }));
  assert.deepEqual(game.take(), []);
  assert.deepEqual(silences(game), []);
});

interface Answered {
  id: unknown;
  result?: { isError: boolean; content: { text: string }[] };
  error?: { code: number; message: string; data: object };
}
interface Told {
  method: string;
  params: { requestId: unknown };
}

test('what the server wrote before the call is said to be from before', () => {
  const game = started();
  game.upstream(1).process.output.push(Buffer.from('listening\n'));
  game.client(call(1));
  giveUp(game);
  assert.match(
    String(game.lines.at(-1)),
    /nothing on stderr since the call began; its last lines before were:\\n\\nlistening/,
  );
});

test('a task-augmented call that is given up gets an error, since its caller can’t read a result', () => {
  const game = started();
  game.client(call(1, { task: {} }));
  giveUp(game);
  const told = game.take().at(-1)![1] as Answered;
  assert.deepEqual(
    [told.error?.code, told.error?.data],
    [-32603, { method: 'tools/call', silentMs: 5000, mayHaveRun: true }],
  );
});

test('P1 a batch is given up as one, and its answer is dropped as one', () => {
  const game = started();
  game.client([call(1), request(2, 'tools/list'), call(3)]);
  game.take();
  const [first] = unansweredCalls(game.lineage);
  giveUpCall(first!, 5000);
  const sent = game.take();
  assert.deepEqual(
    sent.slice(0, 3).map(([, message]) => (message as Told).params.requestId),
    [1, 2, 3],
  );
  assert.deepEqual(
    (sent[3]![1] as Answered[]).map(({ id }) => id),
    [1, 2, 3],
  );
  const ofList = (sent[3]![1] as Answered[])[1]!;
  assert.match(ofList.error!.message, /^The MCP server has not answered the batch that this request \(tools\/list\)/);
  game.server(1, [answer(1), answer(2, { tools: [] }), answer(3)]);
  assert.deepEqual(game.take(), []);
});

test('a call that is given up makes room under --concurrency, and lets a generation go that drains', () => {
  const game = started({ concurrency: 1 });
  game.client(call(1));
  game.client(call(2));
  promote(game, 2);
  game.take();
  giveUp(game);
  assert.deepEqual(game.drained, [1]);
  assert.ok(game.take().some(([to, message]) => to === 2 && (message as { id: unknown }).id === 2));
});

test('P17 a call of one client is given up under the id that the server knows, and its answer shows nothing of others', () => {
  const game = shared();
  game.a.says(call(1));
  game.b.says(call(1));
  game.upstream(1).process.output.push(Buffer.from('a secret of a\n'));
  const own = game.take().find(([, message]) => (message as Answered).id !== 1)![1] as Answered;
  const ofB = unansweredCalls(game.lineage).find(({ pending }) => pending.session === game.b.session)!;
  assert.deepEqual(unansweredCalls(game.lineage, game.b.session).length, 1);
  giveUpCall(ofB, 5000);
  const [[, cancellation], [to, told]] = game.take() as [[number, Told], [string, Answered]];
  assert.deepEqual([to, told.id, cancellation.params.requestId], ['b', 1, own.id]);
  assert.doesNotMatch(JSON.stringify(told), /secret/);
  game.server(1, answer(own.id as string, {}));
  game.server(1, answer(1, { of: 'a' }));
  assert.deepEqual(game.take(), [['client', answer(1, { of: 'a' })]]);
});

test('P17 after one client’s call was given up, no other client is shown what the server writes', () => {
  const game = shared({ hints: 'stderr' });
  game.a.says(call(1));
  giveUp(game);
  game.b.says(call(2));
  game.upstream(1).process.output.push(Buffer.from('late words for a\n'));
  giveUp(game);
  assert.doesNotMatch(game.lines.join(''), /late words/);
});
