// `npm run prove inspector`: the published MCP Inspector in its CLI mode, on Node 22, lists and calls through `serve`,
// before an edit and right after it, over Streamable HTTP and HTTP+SSE, with servers of both generations of the SDK.
// Both are fetched. Each run of the Inspector is a client of its own, so that broken code is its server's first, unless
// all share one.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { served } from '../e2e/http/served.js';
import { tools } from '../e2e/http/through-edits.js';
import { servers } from '../e2e/modern/sdk.js';
import { nodeOf, packageOf } from './fetched.js';

const node = nodeOf('22');
const inspector = join(packageOf('@modelcontextprotocol/inspector', '2.12.0'), 'clients/launcher/build/index.js');
/** The result of the call has `isError`, and is printed all the same. */
const TOOL_FAILED = 5;

async function inspect(
  url: string,
  ...words: string[]
): Promise<{ tools: { name: string }[]; content: { text: string }[] }> {
  const child = spawn(node, [inspector, '--cli', url, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [printed, complaints] = [text(child.stdout), text(child.stderr)];
  const [code] = (await once(child, 'close')) as [number];
  const said = await printed;
  assert.ok(code === 0 || (code === TOOL_FAILED && said !== ''), await complaints);
  return JSON.parse(said);
}

describe('MCP Inspector', () => {
  for (const [server, transport, way] of [
    ['v1', 'mcp', 'serve'],
    ['v1', 'sse', 'serve'],
    ['v2', 'mcp', 'serve'],
    ['v2', 'sse', 'serve'],
    ['v1', 'mcp', 'share'],
    ['v2', 'sse', 'share'],
  ] as const)
    test(`/${transport}, a ${server} server, ${way}`, async (t) => {
      const proxy = await served(t, { 'server.mjs': servers[server], 'src/tools.mjs': tools('one') }, { way });
      const url = transport === 'mcp' ? proxy.url : proxy.sse;
      const names = async () => (await inspect(url, '--method', 'tools/list')).tools.map(({ name }) => name);
      const call = async (name: string) =>
        (await inspect(url, '--method', 'tools/call', '--tool-name', name)).content[0]?.text;
      assert.deepEqual(await names(), ['version', 'pid']);
      assert.equal(await call('version'), 'one');
      proxy.files.write('src/tools.mjs', tools('two', 'added'));
      assert.equal(await call('version'), 'two');
      assert.deepEqual(await names(), ['version', 'pid', 'added']);
      assert.equal(await call('added'), 'added');
      proxy.files.write('src/tools.mjs', 'export const tools = {');
      if (way === 'serve') assert.deepEqual(await names(), ['server_status', 'list_server_tools', 'call_server_tool']);
      assert.match(String(await call(way === 'serve' ? 'server_status' : 'version')), /SyntaxError/);
      proxy.files.write('src/tools.mjs', tools('three'));
      assert.equal(await call('version'), 'three');
    });
});
