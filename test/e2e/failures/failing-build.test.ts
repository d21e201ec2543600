// P7, builds: one that fails or hangs costs a call and nothing else. The compiler's own words reach whoever calls a
// tool, the generation before it serves everything else, and the next save tries again.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { live } from '../../support/reload-project.js';
import { behaviour } from '../../support/reloadable.js';
import { build, builtFiles, countLog, failureOf } from './failures.js';

const files = () => ({ ...builtFiles(), 'src/behaviour.mjs': behaviour('one') });

test('P7 a failing build: calls get the compiler’s words and are not executed, all else goes to the old server, the next save tries again', async (t) => {
  const proxy = await live(t, files(), { options: build });
  assert.equal(await proxy.call('answer'), 'one');
  proxy.save(behaviour('wrong'));
  const text = await failureOf(proxy);
  assert.match(text, /^The build of the MCP server failed: `node build\.mjs` exited with code 2\./);
  assert.match(text, /src\/behaviour\.mjs\(1,9\): error: this is wrong/);
  assert.match(text, /not executed.*call the tool again/);
  assert.equal(await failureOf(proxy), text, 'every call is told');
  const before = proxy.builds();
  const prompt = await proxy.request('prompts/get', { name: 'p' });
  assert.equal(prompt.result.messages[0].content.text, 'one');
  const read = await proxy.request('resources/read', { uri: 'a:b' });
  assert.equal(read.result.contents[0].text, 'one');
  const { result } = await proxy.request('tools/list');
  assert.ok(result.tools.some(({ name }: { name: string }) => name === 'answer'));
  assert.equal(proxy.builds(), before, 'nothing new, nothing built');
  const logged = await proxy.waitForLog('build failed: ');
  assert.equal(
    logged,
    'mcp-hotline: build failed: node build.mjs exited with code 2. Tool calls are answered with this error; the old code, generation 1, stays up',
  );
  assert.match(
    proxy.stderr(),
    /stays up\n {2}src\/behaviour\.mjs\(1,9\): error: this is wrong\n/,
    'in lines of its own',
  );
  assert.equal(countLog(proxy, /build failed/), 1);

  proxy.save(behaviour('wrong again'));
  assert.match(await failureOf(proxy), /this is wrong/);
  proxy.save(behaviour('two'));
  assert.equal(await proxy.call('answer'), 'two');
  assert.deepEqual(proxy.notifications(), []);
  const calls = proxy.journal().filter(({ line }) => line.includes('tools/call'));
  assert.deepEqual(
    calls.map(({ generation }) => generation),
    [1, 2],
    'what was answered with a failure reached no server',
  );
});

test('P7 of a long output the first and the last 4 KB are told, without terminal codes, and where the whole lies', async (t) => {
  const proxy = await live(t, files(), { options: [...build, '--state-dir', 'state'] });
  const line = (n: number) => `\x1b[31mline ${n}\x1b[0m ${'é'.repeat(20)}\n`;
  const output = Array.from({ length: 500 }, (_, n) => line(n)).join('');
  proxy.files.write('build-says', output);
  proxy.save(behaviour('wrong'));
  const text = await failureOf(proxy);
  // oxlint-disable-next-line no-control-regex
  assert.doesNotMatch(text, /[\x1b\uFFFD]/);
  assert.match(text, /line 0 é{20}\nline 1 é/);
  assert.match(text, /line 499 é{20}\n.*this is wrong/);
  assert.ok(!text.includes('line 250 '));
  const [, left, place] = /… (\d+) bytes left out, the whole is in (\S+) …/.exec(text) ?? [];
  const whole = readFileSync(place!, 'utf8');
  assert.ok(whole.startsWith(output) && whole.includes('this is wrong'), 'as it was printed');
  const shown = Buffer.byteLength(whole) - Number(left);
  assert.ok(shown > 2 * 4000 && shown <= 2 * 4096, `${shown} bytes are shown`);
});

test('P7 a build that hangs is ended after --build-timeout, with all its processes, and reported', async (t) => {
  const proxy = await live(t, files(), { options: [...build, '--build-timeout', '1500'] });
  proxy.files.write('hold-build', '');
  proxy.files.write('build-says', 'never printed');
  proxy.save(behaviour('two'));
  assert.match(
    await failureOf(proxy),
    /`node build\.mjs` did not end within 1\.5 s and was stopped\. It printed nothing/,
  );
  const [, pid] = readFileSync(proxy.files.path('builds.txt'), 'utf8').split('\n');
  await proxy.gone(Number(pid));
  proxy.files.remove('hold-build');
  proxy.save(behaviour('three'));
  assert.equal(await proxy.call('answer'), 'three');
});

test('P7 a build that is killed is reported with the signal', async (t) => {
  const proxy = await live(t, files(), { options: build });
  const suicide = `process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000);\n`;
  proxy.files.write('build.mjs', suicide);
  proxy.save(behaviour('two'));
  assert.match(await failureOf(proxy), /`node build\.mjs` was ended by SIGKILL/);
});

test('P7 P5 the disk is back to what serves: the build runs again, no server is started, and the failure is over', async (t) => {
  const proxy = await live(t, files(), { options: build });
  proxy.save(behaviour('wrong'));
  await failureOf(proxy);
  assert.equal(proxy.builds(), 2);
  proxy.save(behaviour('one'));
  assert.equal(await proxy.call('answer'), 'one');
  assert.equal(proxy.builds(), 3);
  assert.equal(JSON.parse(await proxy.call('generation')).generation, 1);
});

test('P7 P6 a build that fails on a file which has changed since it began is not reported: the next attempt decides', async (t) => {
  const proxy = await live(t, files(), { options: build });
  const finished = JSON.stringify(behaviour('two'));
  const failing = `
    import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
    if (readFileSync('src/behaviour.mjs', 'utf8') === 'half') {
      writeFileSync('src/behaviour.mjs', ${finished}); // the editor is done at this very moment
      console.error('unexpected end of file');
      process.exit(1);
    }
    mkdirSync('dist', { recursive: true });
    writeFileSync('dist/behaviour.mjs', readFileSync('src/behaviour.mjs'));`;
  proxy.files.write('build.mjs', failing);
  proxy.save('half');
  assert.equal(await proxy.call('answer'), 'two');
  assert.equal(countLog(proxy, /failed/), 0, proxy.stderr());
});

test('P7 P5 a forced build that fails on what serves already: a touch builds nothing, another request to restart does', async (t) => {
  const proxy = await live(t, files(), { options: build });
  const good = readFileSync(proxy.files.path('build.mjs'));
  proxy.files.write(
    'build.mjs',
    `import { appendFileSync } from 'node:fs';
    appendFileSync('builds.txt', '.\\n');
    process.exit(3);`,
  );
  proxy.kill('SIGUSR2');
  await proxy.waitForLog('exited with code 3');
  assert.equal(proxy.builds(), 2);
  proxy.files.touch('src/behaviour.mjs');
  assert.match(await failureOf(proxy), /exited with code 3/);
  assert.equal(proxy.builds(), 2);
  proxy.files.write('build.mjs', good);
  proxy.kill('SIGUSR2');
  await proxy.reloaded(2);
  assert.equal(await proxy.call('answer'), 'one');
});

test('P7 exit 0 after an edit that mended the very first build does not end the session', async (t) => {
  const proxy = await live(t, { ...files(), 'src/behaviour.mjs': behaviour('wrong') }, { options: build });
  assert.match(await failureOf(proxy), /this is wrong/);
  proxy.save(behaviour('two'));
  assert.equal(await proxy.call('answer'), 'two');
  await proxy.waitForLog('changed: src/behaviour.mjs');
  // A server that ends sooner does not leave on purpose in any case: the time is part of what is tested.
  await new Promise((resolve) => setTimeout(resolve, 5100));
  const { result } = await proxy.request('tools/call', { name: 'die', arguments: { code: 0 } });
  assert.match(result.content[0].text, /exited with code 0/);
  assert.equal(await proxy.call('answer'), 'two');
});
