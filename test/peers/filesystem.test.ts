// The published filesystem server with a published client: all of its tools, its errors and its roots, direct and
// through the proxy, where the server is edited again and again on the way. Both sessions must be the same, word for
// word.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { open } from './session.js';
import type { Server, Session } from './session.js';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);
const entry = import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
const files = {
  'data/one.txt': 'first\nsecond\nthird\n',
  'data/sub/zwei.txt': 'größe 😀\n',
  'data/pixel.png': png,
  'elsewhere/secret.txt': 'not for everybody\n',
};
const byArgument: Server = { entry, files, args: (here) => [here.path('data')] };
const byRoots: Server = { entry, files, roots: ['data', 'elsewhere'] };

/** Every tool once and more; an edit before every ninth step. */
async function allTools(session: Session): Promise<void> {
  const at = (file: string) => session.files.path(file);
  const edits = [{ oldText: 'second', newText: 'zweite "\\n"' }];
  const steps: [tool: string, given?: object][] = [
    ['list_allowed_directories'],
    ['read_file', { path: at('data/one.txt') }],
    ['read_text_file', { path: at('data/sub/zwei.txt') }],
    ['read_text_file', { path: at('data/one.txt'), head: 1 }],
    ['read_text_file', { path: at('data/one.txt'), head: 1, tail: 1 }],
    ['read_media_file', { path: at('data/pixel.png') }],
    ['read_media_file', { path: at('data/one.txt') }],
    ['read_multiple_files', { paths: [at('data/one.txt'), at('data/none.txt')] }],
    ['write_file', { path: at('data/new.txt'), content: 'geschrieben\u2028\n' }],
    ['edit_file', { path: at('data/one.txt'), edits, dryRun: true }],
    ['edit_file', { path: at('data/one.txt'), edits }],
    ['edit_file', { path: at('data/one.txt'), edits }],
    ['create_directory', { path: at('data/made') }],
    ['move_file', { source: at('data/new.txt'), destination: at('data/made/moved.txt') }],
    ['move_file', { source: at('data/new.txt'), destination: at('data/made/moved.txt') }],
    ['list_directory', { path: at('data/made') }],
    ['list_directory_with_sizes', { path: at('data'), sortBy: 'size' }],
    ['directory_tree', { path: at('data') }],
    ['search_files', { path: at('data'), pattern: '**/*.txt' }],
    ['read_text_file', { path: at('elsewhere/secret.txt') }],
    ['write_file', { path: at('data/new.txt') }],
    ['no_such_tool'],
  ];
  await session.record('tools/list', (client) => client.listTools());
  for (const [index, [tool, given]] of steps.entries()) {
    if (index % 9 === 2) session.edit();
    await session.call(tool, given);
  }
  // A call that is under way while the code changes.
  const under = session.call('write_file', { path: at('data/late.txt'), content: 'late' });
  session.edit();
  await under;
  await session.call('read_text_file', { path: at('data/late.txt') });
}

async function roots(session: Session): Promise<void> {
  // Which answers come before the server has its roots is a race with any client.
  const settled = async (path: string) => {
    for (;;) {
      const { content } = (await session.client.callTool({ name: 'list_allowed_directories', arguments: {} })) as {
        content: { text: string }[];
      };
      if (content[0]!.text.endsWith(session.files.path(path))) return;
      await delay(10);
    }
  };
  await settled('data');
  await session.call('list_directory', { path: session.files.path('data') });
  session.edit();
  await session.call('list_directory', { path: session.files.path('data') });
  await session.moveRoots();
  await settled('elsewhere');
  await session.call('read_text_file', { path: session.files.path('data/one.txt') });
  session.edit();
  await session.call('read_text_file', { path: session.files.path('elsewhere/secret.txt') });
  await session.call('list_allowed_directories');
}

describe('server-filesystem', { concurrency: 2 }, () => {
  for (const client of ['v1', 'v2'] as const) {
    test(`P1 P2 P8 server-filesystem and the ${client} client: all tools, the same over reloads`, async (t) => {
      const direct = await open(t, 'direct', client, byArgument);
      const proxied = await open(t, 'reloading', client, byArgument);
      await Promise.all([allTools(direct), allTools(proxied)]);
      assert.equal(direct.transcript.length, 25);
      assert.deepEqual(proxied.transcript, direct.transcript);
      assert.deepEqual(proxied.heard.past, direct.heard.past);
      assert.equal(await proxied.reloads(), 4);
    });
  }
  test('P10 server-filesystem asks for the roots of the v2 client in every generation, and has them in time', async (t) => {
    const direct = await open(t, 'direct', 'v2', byRoots);
    const proxied = await open(t, 'reloading', 'v2', byRoots);
    await Promise.all([roots(direct), roots(proxied)]);
    assert.equal(direct.transcript.length, 5);
    assert.deepEqual(proxied.transcript, direct.transcript);
    assert.equal(await proxied.reloads(), 2);
  });
});
