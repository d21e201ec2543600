// P7, starts: new code that does not come up leaves the old server serving, whatever the way it fails. Each is told
// with the server's own words, and each is mended by the next save. Floods are floods.test.ts's, both eras and
// strategies standing.test.ts's.

import assert from 'node:assert/strict';
import { linkSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { live } from '../../support/reload-project.js';
import { script, scripted } from '../../support/reloadable.js';
import { countLog, failureOf } from './failures.js';

const good = (version: string) => script(`export const tools = { answer: () => '${version}' };`);
const files = () => ({ ...scripted(''), 'src/script.mjs': good('0') });
const beforeDone = (how: string) => new RegExp(`\`node\` ${how} before the handshake was done\\.`);
const nothing = /It printed nothing\./;

const ways: readonly { how: string; source: string; told: RegExp; words: RegExp }[] = [
  {
    how: 'a syntax error',
    source: 'export const tools = {',
    told: beforeDone('exited with code 1'),
    words: /script\.mjs:\d[^]*SyntaxError: Unexpected end of input/,
  },
  {
    how: 'an import of what is not there',
    source: `import './missing.mjs';`,
    told: beforeDone('exited with code 1'),
    words: /ERR_MODULE_NOT_FOUND[^]*missing\.mjs|missing\.mjs[^]*ERR_MODULE_NOT_FOUND/,
  },
  {
    how: 'an error while it starts',
    source: `throw new Error('no database here');`,
    told: beforeDone('exited with code 1'),
    words: /no database here/,
  },
  ...[0, 3, 42].map((code) => ({
    how: `an exit with ${code}`,
    source: `console.error('giving up'); process.exit(${code});`,
    told: beforeDone(`exited with code ${code}`),
    words: /Its output:\n\ngiving up\n/,
  })),
  {
    how: 'an exit whose reason is on stdout',
    source: `console.log('set API_KEY first'); process.exitCode = 1; process.exit();`,
    told: beforeDone('exited with code 1'),
    words: /Its output:\n\nset API_KEY first\n/,
  },
  {
    how: 'an exit whose reason is on stdout, without a newline, after words on stderr',
    source: `console.error('looking for the key'); process.stdout.write('set API_KEY first', () => process.exit(1)); await never;`,
    told: beforeDone('exited with code 1'),
    words: /Its output:\n\nlooking for the key\nset API_KEY first\n/,
  },
  {
    how: 'a signal',
    source: `process.kill(process.pid, 'SIGSEGV'); await never;`,
    told: beforeDone('was ended by SIGSEGV'),
    words: nothing,
  },
  {
    how: 'an exit in the middle of the handshake, with half an answer',
    source: `export const methods = { initialize: () => {
      process.stdout.write('{"jsonrpc":"2.0","id":0,"resu', () => process.exit(5));
    } };`,
    told: beforeDone('exited with code 5'),
    words: /Its output:\n\n\{"jsonrpc":"2\.0","id":0,"resu\n/,
  },
  {
    how: 'a handshake that is answered with an error',
    source: `export const methods = { initialize: () => { throw new Error('not today'); } };`,
    told: /`node` answered the handshake with an error: \{"code":-32000,"message":"not today"\}/,
    words: nothing,
  },
  {
    how: 'a handshake that is never answered',
    source: `console.error('thinking'); export const methods = { initialize: () => {} };`,
    told: /`node` did not answer the handshake within 2000 ms of its last sign of life\./,
    words: /thinking/,
  },
  {
    how: 'a question on stdout, without a newline, that nobody answers',
    source: `process.stdout.write('Enter your API key: '); export const methods = { initialize: () => {} };`,
    told: /`node` did not answer the handshake within 2000 ms of its last sign of life\./,
    words: /Its output:\n\nEnter your API key:\n/,
  },
];

test('P7 new code that does not start', async (t) => {
  const proxy = await live(t, files(), { options: ['--start-timeout', '2000'] });
  assert.equal(await proxy.call('answer'), '0');
  let version = 0;
  for (const { how, source, told, words } of ways) {
    await t.test(`P7 ${how}: it is told, the old server serves all else, the next save mends it`, async () => {
      proxy.save(script(source));
      const text = await failureOf(proxy);
      assert.match(text, /^The MCP server did not start with the code that is on the disk: /);
      assert.match(text, told);
      assert.match(text, words);
      assert.match(text, /not executed.*call the tool again/);
      assert.equal((await proxy.request('tools/list')).result.tools[0].name, 'answer');
      proxy.save(good(String(++version)));
      assert.equal(await proxy.call('answer'), String(version));
    });
  }
  assert.equal(countLog(proxy, /start failed: node /), ways.length);
  assert.deepEqual(proxy.notifications(), []);
});

test('P7 the disk is back to what serves: the failure is over, and no server was started for it', async (t) => {
  const proxy = await live(t, files());
  await proxy.call('answer');
  proxy.save('export const');
  await failureOf(proxy);
  proxy.save(good('0'));
  assert.equal(await proxy.call('answer'), '0');
  const callers = proxy.journal().filter(({ line }) => line.includes('tools/call'));
  assert.equal(new Set(callers.map(({ pid }) => pid)).size, 1, 'the same process before and after');
  assert.equal(countLog(proxy, /reloaded/), 0);
});

test('P7 P6 half-written files settle: what fails on a file that has changed since is not reported', async (t) => {
  const proxy = await live(t, files());
  const whole = JSON.stringify(good('whole'));
  for (const half of [
    `writeFileSync('src/script.mjs', ${whole}); throw new Error('unexpected end');`,
    `export const methods = { initialize: () => {
      writeFileSync('src/script.mjs', ${whole});
      throw new Error('unexpected end');
    } };`,
  ]) {
    const from = proxy.stderr().split('\n').length - 1;
    proxy.save(script(`import { writeFileSync } from 'node:fs';\n${half}`));
    assert.equal(await proxy.call('answer'), 'whole');
    await proxy.waitForLog(/reloaded in/, { from });
    proxy.save(good('next'));
    assert.equal(await proxy.call('answer'), 'next');
  }
  assert.equal(countLog(proxy, /start failed/), 0, proxy.stderr());
});

test('P7 what fails on a file that has changed since is not reported either if no event has told of it', async (t) => {
  const proxy = await live(t, files());
  assert.equal(await proxy.call('answer'), '0');
  // The same file by another name, in a directory that nobody watches.
  const elsewhere = `${proxy.gate().path}-link`;
  linkSync(proxy.files.path('src/script.mjs'), elsewhere);
  const mend = `writeFileSync(${JSON.stringify(elsewhere)}, ${JSON.stringify(good('whole'))});`;
  proxy.save(script(`import { writeFileSync } from 'node:fs';\n${mend} throw new Error('unexpected end');`));
  assert.equal(await proxy.call('answer'), 'whole');
  assert.equal(countLog(proxy, /start failed/), 0, proxy.stderr());
});

test('P7 a call that the old server runs while the new code fails is answered by it, as it is', async (t) => {
  const slow = `export const tools = { answer: () => 'old', slow: async () => (await appears('gate'), 'finished') };`;
  const proxy = await live(t, { ...scripted(''), 'src/script.mjs': script(slow) });
  const { answer } = await proxy.begin('slow');
  proxy.save('export const');
  await failureOf(proxy);
  proxy.files.write('gate', '');
  assert.deepEqual((await answer).result, { content: [{ type: 'text', text: 'finished' }] });
});

test('P7 a long report of the server is shortened, and says where more of it lies', async (t) => {
  const proxy = await live(t, files(), { options: ['--state-dir', 'state'] });
  const frames = `Array.from({ length: 600 }, (_, n) => '\\x1b[1mframe ' + n + '\\x1b[0m of the stack\\n').join('')`;
  proxy.save(`import { writeSync } from 'node:fs'; writeSync(2, ${frames}); process.exit(1);`);
  const text = await failureOf(proxy);
  assert.match(text, /frame 0 of the stack\nframe 1 of/);
  assert.match(text, /frame 599 of the stack/);
  assert.ok(!text.includes('frame 300 ') && !text.includes('\x1b'));
  const [, place] = /bytes left out, the last 64 KiB are in (\S+) …/.exec(text) ?? [];
  assert.match(readFileSync(place!, 'utf8'), /frame 300\b/);
});

test('P7 P15 the old server dies while new code has failed: calls and all else are told of the failure until it is mended', async (t) => {
  const proxy = await live(t, files());
  await proxy.call('answer');
  proxy.save(`throw new Error('no way');`);
  assert.match(await failureOf(proxy), /no way/);
  process.kill(proxy.journal()[0]!.pid, 'SIGKILL');
  await proxy.waitForLog('ended by SIGKILL');
  assert.match(await failureOf(proxy), /no way/);
  const { error } = await proxy.request('tools/list');
  assert.match(error?.message ?? '', /did not start.*exited with code 1/);
  proxy.save(good('1'));
  assert.equal(await proxy.call('answer'), '1');
});

/** As a command that compiles before it serves: at work, and silent on stdout, for longer than the start time-out. */
const compiling = (work: string): string =>
  `const until = performance.now() + 3000;
  while (performance.now() < until) { ${work}; await new Promise((resolve) => setTimeout(resolve, 50)); }
  export const tools = { answer: () => 'compiled' };`;

for (const [sign, work] of [
  ['prints on stderr', `console.error('compiling')`],
  ['uses the processor', `{ const end = performance.now() + 100; while (performance.now() < end); }`],
] as const) {
  test(`P7 a start that takes longer than --start-timeout but ${sign} is waited for`, async (t) => {
    const proxy = await live(t, files(), { options: ['--start-timeout', '1500'] });
    assert.equal(await proxy.call('answer'), '0');
    proxy.save(script(compiling(work)));
    assert.equal(await proxy.call('answer'), 'compiled');
  });
}

test('P7 a start that shows signs of life for ever is given up after three times --start-timeout, and told what may help', async (t) => {
  const proxy = await live(t, files(), { options: ['--start-timeout', '500'] });
  proxy.save(script(`setInterval(() => console.error('still compiling'), 50); await never;`));
  const text = await failureOf(proxy);
  assert.match(text, /did not answer the handshake within 1500 ms, though it was at work[^]*still compiling/);
  assert.match(text, /--start-timeout.*--build/);
  assert.doesNotMatch(text, /Fix the error in the source/);
});

test('P7 a start that was given up is tried again by a call, though no file was saved', async (t) => {
  const proxy = await live(t, files(), { options: ['--start-timeout', '700'] });
  const { path, open } = proxy.gate();
  proxy.save(script(`await appears(${JSON.stringify(path)}); export const tools = { answer: () => 'late' };`));
  assert.match(await failureOf(proxy), /tries again before it is answered/);
  open();
  for (;;) {
    const { result } = await proxy.request('tools/call', { name: 'answer' });
    if (result.isError !== true) return assert.equal(result.content[0].text, 'late');
    assert.match(result.content[0].text, /did not answer the handshake/);
    await setImmediate();
  }
});
