// A server that speaks HTTP over TLS, with a certificate of its own. Proxy variables of the environment are for others.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { emptyDirectory, project, startProxy } from '../../support/harness.js';

const server = `
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: {}, serverInfo: { name: 'tls', version: '1' } }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'over TLS' }] }),
};
createServer({ key: readFileSync('key.pem'), cert: readFileSync('cert.pem') }, async (request, response) => {
  if (request.method !== 'POST') return response.writeHead(405).end();
  const { id, method, params } = JSON.parse(Buffer.concat(await request.toArray()));
  if (id === undefined) return response.writeHead(202).end();
  const result = results[method]?.(params) ?? {};
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}).listen(process.env.PORT, '127.0.0.1');
`;
const words =
  'req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost';
const hasOpenssl = spawnSync('openssl', ['version'], { cwd: emptyDirectory }).status === 0;

test('https: a certificate that is trusted, and words for one that is not', { skip: !hasOpenssl }, async (t) => {
  const files = project(t, { 'src/server.mjs': server });
  assert.equal(spawnSync('openssl', words.split(' '), { cwd: files.directory }).status, 0);
  const nobody = 'http://127.0.0.1:1';
  const open = (trusted: NodeJS.ProcessEnv) =>
    startProxy(t, {
      cwd: files.directory,
      command: [process.execPath, 'src/server.mjs'],
      options: ['--upstream', 'https://localhost:{port}/mcp', '--start-timeout', '200'],
      env: { HTTPS_PROXY: nobody, https_proxy: nobody, HTTP_PROXY: nobody, http_proxy: nobody, ...trusted },
    });
  const call = async (proxy: ReturnType<typeof open>): Promise<string> => {
    await proxy.initialize();
    const { result } = await proxy.request('tools/call', { name: 'any', arguments: {} }, { deadline: 60_000 });
    return result.content[0].text as string;
  };
  assert.match(await call(open({})), /its certificate is not trusted here \(NODE_EXTRA_CA_CERTS=<file>/);
  assert.equal(await call(open({ NODE_EXTRA_CA_CERTS: join(files.directory, 'cert.pem') })), 'over TLS');
});
