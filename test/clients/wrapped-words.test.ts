// Which words start a server behind the proxy, and where the server's own begin.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wrappedWords } from '#src/clients/documents.js';

const wrapped = [
  'mcp-hotline -- | node a.js',
  '/usr/local/bin/mcp-hotline --watch src -- | python -m server -- x',
  'C:\\Users\\me\\AppData\\Roaming\\npm\\mcp-hotline.cmd -- | node a.js',
  'node node_modules/mcp-hotline/bin/mcp-hotline.js -- | npx -y @x/y',
  '/opt/node-20/bin/node --enable-source-maps /src/bin/mcp-hotline.js run --cwd /w -- | node a.js',
  'C:\\node\\node.exe C:\\x\\mcp-hotline\\bin\\mcp-hotline.js -- | node a.js',
  'npx mcp-hotline -- | node a.js',
  'npx -y mcp-hotline@1.2.3 --agent-tools auto -- | node a.js',
  'npx --package=mcp-hotline -- mcp-hotline -- | node a.js',
  'cmd /c npx mcp-hotline -- | cmd /c npx x',
  'C:\\Windows\\System32\\cmd.exe /d /s /c npx.cmd -y mcp-hotline -- | node a.js',
  'npm exec -- mcp-hotline -- | node a.js',
  'pnpm dlx mcp-hotline -- | node a.js',
  'yarn mcp-hotline -- | node a.js',
  'env A=1 mcp-hotline -- | node a.js',
  'mcp-hotline --config x.json |',
];

test('an entry that is wrapped is known for it, however the proxy is started', () => {
  for (const line of wrapped) {
    const [proxy = [], server = []] = line.split('|').map((part) => part.split(' ').filter((word) => word !== ''));
    assert.deepEqual(wrappedWords([...proxy, ...server]), { proxy, server }, line);
  }
});

test('an entry that only mentions the proxy is not', () => {
  const lines = [
    'node server.js',
    'node server.js mcp-hotline -- a',
    'npx -y some-server mcp-hotline -- a',
    'python mcp-hotline.py',
    'node /src/mcp-hotline/examples/server.js',
    'mcp-hotline smoke -- node a.js',
    'npx mcp-hotline-extra -- node a.js',
    'npx @other/server -- mcp-hotline',
  ];
  for (const line of lines) assert.equal(wrappedWords(line.split(' ')), undefined, line);
  assert.equal(wrappedWords(['sh', '-c', 'mcp-hotline -- node a.js']), undefined);
  assert.equal(wrappedWords([]), undefined);
});
