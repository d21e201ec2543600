/**
 * A server and a client that say things which nest deeper than the stack: they pass, through a reload too, and what the
 * proxy makes of them ends nobody.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { project, proxyCommand, startDirect } from '../support/harness.js';

const DEPTH = 30_000;
const deep = `${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`;

const server = `
import { createInterface } from 'node:readline';
import { kind } from './src/kind.mjs';
const deep = '{"a":'.repeat(${DEPTH}) + '1' + '}'.repeat(${DEPTH});
const results = {
  initialize: '{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{},"experimental":{"d":' + deep + '}},"serverInfo":{"name":"deep","version":"1"}}',
  'tools/list': '{"tools":[{"name":"dig","inputSchema":{"type":"object","properties":{"' + kind + '":' + deep + '}}}]}',
  'prompts/list': '{"prompts":[{"name":"p","arguments":[' + deep + ']}]}',
  'tools/call': '{"isError":true,"content":[{"type":"text","text":"no"}],"structuredContent":' + deep + '}',
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const id = /"id":("[^"]*"|\\d+)/.exec(line)?.[1];
  const method = /"method":"([^"]*)"/.exec(line)?.[1];
  if (id !== undefined) process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"result":' + (results[method] ?? '{}') + '}\\n');
});
`;

test('P2 P7 what nests deeper than the stack passes, is compared at a reload, and is told of', async (t) => {
  const files = project(t, { 'server.mjs': server, 'src/kind.mjs': `export const kind = 'old';` });
  const command = proxyCommand(['--agent-tools'], [process.execPath, 'server.mjs']);
  const proxy = startDirect(t, { command, cwd: files.directory });
  const params = `"protocolVersion":"2025-11-25","capabilities":{"experimental":{"d":${deep}}},"clientInfo":{"name":"deep","version":"1"}`;
  await proxy.send(`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{${params}}}`);
  await proxy.response('open');
  await proxy.notify('notifications/initialized');
  await proxy.request('tools/list');
  await proxy.request('prompts/list');
  files.write('src/kind.mjs', `export const kind = 'new';`);
  const failed = await proxy.request('tools/call', { name: 'dig', arguments: {} });
  const texts = (failed.result.content as { text: string }[]).map(({ text }) => text);
  assert.equal(texts[0], 'no');
  assert.match(texts[1] ?? '', /"dig" has changed .* too long to be shown here\. It takes `new`\./s);
  const listed = await proxy.request('tools/call', { name: 'list_server_tools', arguments: {} });
  assert.match((listed.result.content as { text: string }[])[0]!.text, /has one tool.*its schemas are left out/);
  const name = `{"name":"list_server_tools","arguments":{"name":${deep}}}`;
  await proxy.send(`{"jsonrpc":"2.0","id":"bad","method":"tools/call","params":${name}}`);
  const refused = await proxy.response('bad');
  assert.match((refused.result.content as { text: string }[])[0]!.text, /^"name" is \{"a":\{"a":/);
});
