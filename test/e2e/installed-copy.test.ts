// A Python package that was installed without -e, in a real virtual environment: edits reload a server that does not
// run them. Log and agent are told, and no longer when it is mended. What counts as such a copy is for
// test/config/discovery.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, readdirSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { project, startProxy, type Started } from '../support/harness.js';
import type { Project } from '../support/project.js';

const canRun = spawnSync('python3', ['-c', 'import venv']).status === 0 && process.platform !== 'win32';

const SERVER = `import json, sys
from own.words import WORD

def answer(method, params):
    if method == 'initialize':
        return {'protocolVersion': params['protocolVersion'], 'capabilities': {'tools': {}}, 'serverInfo': {'name': 'p', 'version': '1'}}
    if method == 'tools/list':
        return {'tools': [{'name': 'word', 'inputSchema': {'type': 'object'}}]}
    return {'content': [{'type': 'text', 'text': WORD}]} if method == 'tools/call' else {}

def main():
    for line in sys.stdin:
        request = json.loads(line)
        if 'id' in request and 'method' in request:
            result = answer(request['method'], request.get('params', {}))
            print(json.dumps({'jsonrpc': '2.0', 'id': request['id'], 'result': result}), flush=True)

if __name__ == '__main__':
    main()
`;

const sources = { '__init__.py': '', '__main__.py': SERVER, 'words.py': `WORD = 'one'\n` };

/** As an installation leaves it: the copy, where it came from, and a command. */
function installed(t: TestContext): { files: Project; packages: string } {
  const files = project(t, {
    'pyproject.toml': '[project]\nname = "own"\nversion = "1.0"\n\n[project.scripts]\nown-mcp = "own.__main__:main"\n',
  });
  execFileSync('python3', ['-m', 'venv', '--without-pip', '.venv'], { cwd: files.directory });
  const version = readdirSync(files.path('.venv/lib')).find((name) => name.startsWith('python'));
  const packages = `.venv/lib/${version}/site-packages`;
  for (const [name, text] of Object.entries(sources)) {
    files.write(`src/own/${name}`, text);
    files.write(`${packages}/own/${name}`, text);
  }
  const origin = { url: pathToFileURL(files.directory).href, dir_info: {} };
  files.write(`${packages}/own-1.0.dist-info/direct_url.json`, JSON.stringify(origin));
  files.write('.venv/bin/own-mcp', `#!${files.path('.venv/bin/python')}\nfrom own.__main__ import main\nmain()\n`);
  chmodSync(files.path('.venv/bin/own-mcp'), 0o755);
  return { files, packages };
}

async function textOf(proxy: Started, name: string, given: object = {}): Promise<string> {
  const { result, error } = await proxy.request('tools/call', { name, arguments: given });
  assert.equal(error, undefined, proxy.transcript());
  return result.content[0].text as string;
}

for (const command of [['.venv/bin/own-mcp'], ['.venv/bin/python', '-m', 'own']]) {
  test(
    `P4 a copy that runs instead of the edited sources is told to log and agent: ${command.join(' ')}`,
    { skip: !canRun && 'no python3 with venv' },
    async (t) => {
      const { files, packages } = installed(t);
      const proxy = startProxy(t, {
        command,
        cwd: files.directory,
        options: ['--agent-tools', '--log-format', 'json'],
      });
      await proxy.initialize();
      const line = await proxy.waitForLog('watching ');
      assert.match(
        line,
        /a copy that was installed without -e, so that an edit in src has no effect: run \\"pip install -e \./,
      );
      assert.match(line, /"level":"warn"/);

      files.write('src/own/words.py', `WORD = 'two'\n`);
      assert.equal(await textOf(proxy, 'word'), 'one', 'the copy runs');
      await proxy.waitForLog('"event":"reloaded"');
      const words = [
        await textOf(proxy, 'server_status'),
        await textOf(proxy, 'restart_server', { reason: 'nothing changes' }),
        await textOf(proxy, 'verify_server_restarted', { since_timestamp: '2026-01-01T00:00:00Z' }),
      ];
      for (const text of words) {
        assert.match(text, /But the code that runs is \S+site-packages\/own\/__main__\.py, a copy/);
        assert.match(
          text,
          /Run `pip install -e \.` \(or `uv pip install -e \.`\) in .*\.venv, then call restart_server\./,
        );
      }

      // What `pip install -e .` does.
      files.remove(`${packages}/own`);
      files.write(`${packages}/own.pth`, `${files.path('src')}\n`);
      assert.doesNotMatch(await textOf(proxy, 'restart_server', { reason: 'installed with -e' }), /copy/);
      assert.equal(await textOf(proxy, 'word'), 'two', 'the sources run');
      assert.doesNotMatch(await textOf(proxy, 'server_status'), /copy/);
    },
  );
}
