// Python trusts its cached bytecode by the time stamp of the source, in whole seconds, and its size. The saves of these
// tests differ in neither, and in the bytes alone. Needs a Python that writes its caches, as it does unless told
// otherwise.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { project, startProxy, type Started } from '../../support/harness.js';
import type { Project } from '../../support/project.js';

const STAMP = new Date(1_700_000_000_000);

const SERVER = `import json, os, pathlib, sys, time
from package import words

def put_back():
    """Puts the cache that is there now back, once it is told to."""
    [cache] = (pathlib.Path(words.__file__).parent / '__pycache__').glob('words.*.pyc')
    old = cache.read_bytes()
    print('it waits', file=sys.stderr, flush=True)
    while not os.path.exists('gate'):
        time.sleep(0.01)
    cache.write_bytes(old)
    return 'put back'

TOOLS = {'word': lambda: words.WORD, 'put_back': put_back, 'die': lambda: os._exit(3), 'pid': lambda: str(os.getpid())}

def answer(method, params):
    if method == 'initialize':
        return {'protocolVersion': params['protocolVersion'], 'capabilities': {'tools': {}}, 'serverInfo': {'name': 'p', 'version': '1'}}
    if method == 'tools/list':
        return {'tools': [{'name': name, 'inputSchema': {'type': 'object'}} for name in TOOLS]}
    return {'content': [{'type': 'text', 'text': TOOLS[params['name']]()}]} if method == 'tools/call' else {}

for line in sys.stdin:
    request = json.loads(line)
    if 'id' in request and 'method' in request:
        result = answer(request['method'], request.get('params', {}))
        print(json.dumps({'jsonrpc': '2.0', 'id': request['id'], 'result': result}), flush=True)
`;

interface Python extends Started {
  readonly files: Project;
  /** Saves the module with another word of three letters, and the time stamp that it always has. */
  say(word: string): void;
  call(name: string): Promise<string>;
}

async function python(t: TestContext, env: NodeJS.ProcessEnv = {}, options: readonly string[] = []): Promise<Python> {
  const files = project(t, { 'server.py': SERVER, 'package/__init__.py': '' });
  const say = (word: string): void => {
    files.write('package/words.py', `WORD = '${word}'\n`);
    utimesSync(files.path('package/words.py'), STAMP, STAMP);
  };
  say('one');
  const proxy = startProxy(t, { command: ['python3', 'server.py'], cwd: files.directory, options, env });
  await proxy.initialize();
  const call = async (name: string): Promise<string> => {
    const { result, error } = await proxy.request('tools/call', { name, arguments: {} });
    assert.equal(error, undefined, proxy.transcript());
    return result.content[0].text as string;
  };
  return { ...proxy, files, say, call };
}

const words = ['two', 'six', 'ten', 'one', 'two'];

for (const [what, env, options] of [
  ['beside the sources', {}, []],
  ['under a prefix', { PYTHONPYCACHEPREFIX: 'cache' }, []],
  ['beside the sources, with --strategy replace', {}, ['--strategy', 'replace']],
] as const) {
  test(`P4 Python never runs old bytecode, with its caches ${what}`, async (t) => {
    const proxy = await python(t, env, options);
    assert.equal(await proxy.call('word'), 'one');
    const caches =
      'PYTHONPYCACHEPREFIX' in env ? join('cache', proxy.files.directory, 'package') : 'package/__pycache__';
    assert.ok(existsSync(proxy.files.path(caches)), 'this Python writes its caches');
    for (const word of words) {
      proxy.say(word);
      assert.equal(await proxy.call('word'), word, proxy.transcript());
    }
    // What was not edited is not compiled again.
    assert.ok(readdirSync(proxy.files.path(caches)).some((name) => name.startsWith('__init__.')));
  });
}

test('P4 an edit, git stash and git stash pop are three versions for Python too', async (t) => {
  const proxy = await python(t);
  const git = (...args: string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: proxy.files.directory });
  proxy.files.write('.gitignore', '__pycache__\n');
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'one');
  const word = 'package/words.py';
  // For git the file has another time stamp, or it would not look at it; for Python always the same.
  const stash = (...args: string[]): void => {
    proxy.files.touch(word);
    git('stash', ...args, '-q');
    utimesSync(proxy.files.path(word), STAMP, STAMP);
  };
  for (let turn = 0; turn < 3; turn++) {
    proxy.say('two');
    assert.equal(await proxy.call('word'), 'two');
    stash();
    assert.equal(await proxy.call('word'), 'one');
    stash('pop');
    assert.equal(await proxy.call('word'), 'two');
    proxy.say('one');
    assert.equal(await proxy.call('word'), 'one');
  }
});

test('P4 what a draining server caches after the edit is not what the next one runs', async (t) => {
  const proxy = await python(t);
  assert.equal(await proxy.call('word'), 'one');
  const late = proxy.call('put_back');
  await proxy.waitForLog('it waits');
  proxy.say('two');
  assert.equal(await proxy.call('word'), 'two');
  proxy.files.write('gate', '');
  assert.equal(await late, 'put back');
  // The same code again, after a crash.
  await proxy.request('tools/call', { name: 'die', arguments: {} });
  assert.equal(await proxy.call('word'), 'two', proxy.transcript());
});
