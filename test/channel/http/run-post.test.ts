/** What becomes of a message whose session the server has forgotten: one POST, with a server that answers by hand. */
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { Link } from '#src/channel/http/link.js';
import { Post } from '#src/channel/http/post.js';
import { runPost, type PostOwner } from '#src/channel/http/run-post.js';
import { Message } from '#src/wire/message.js';

/** A server that knows the session `new` alone. */
function serverThatForgot(): { readonly owner: PostOwner; readonly posted: string[]; readonly renewals: object[] } {
  const posted: string[] = [];
  const renewals: object[] = [];
  let session = { id: 'old' };
  const send = (): Promise<{ kind: 'response'; response: IncomingMessage }> => {
    posted.push(session.id);
    const response = Object.assign(Readable.from([]), { statusCode: session.id === 'new' ? 202 : 404, headers: {} });
    return Promise.resolve({ kind: 'response', response: response as unknown as IncomingMessage });
  };
  const link = {
    client: { send },
    ended: new AbortController().signal,
    maxMessage: 1024,
    isUp: true,
    met: () => {},
    reads: () => {},
    markUp: () => {},
    warn: () => {},
  };
  const owner = {
    link: link as unknown as Link,
    path: '/mcp',
    sendWith: () => ({ headers: {}, session }),
    saysWhoItIs: () => false,
    accepted: () => {},
    message: () => {},
    renew: (lost: object) => {
      renewals.push(lost);
      session = { id: 'new' };
      return Promise.resolve(true);
    },
    resume: () => Promise.resolve(false),
    lost: () => {},
  };
  return { owner, posted, renewals };
}

const cases = [
  ['a notification is sent again', '{"jsonrpc":"2.0","method":"notifications/made/up"}', ['old', 'new'], 'accepted'],
  [
    'an answer is not, which no other session has asked for',
    '{"jsonrpc":"2.0","id":0,"result":{}}',
    ['old'],
    'refused',
  ],
] as const;

for (const [what, line, sent, outcome] of cases) {
  test(`P10 in the session that is opened instead of a forgotten one ${what}`, async () => {
    const { owner, posted, renewals } = serverThatForgot();
    assert.equal(await runPost(owner, new Post(Message.fromJson(line), undefined)), outcome);
    assert.deepEqual(posted, sent);
    assert.equal(renewals.length, 1);
  });
}
