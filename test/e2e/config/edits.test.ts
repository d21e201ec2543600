// Edits of single options in the configuration file while the proxy runs, on the built bin: each takes effect when its
// row in the table of options says so. What an edit as a whole leads to is rules.test.ts's.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { live, type ReloadProject } from '../../support/reload-project.js';
import { script, scripted } from '../../support/reloadable.js';

const name = 'mcp-hotline.config.json';

/** A server that says whether another one ran when it was started. `alone`: it does not start then. */
const besideOthers = (version: number, alone = false): string => `
  import { readdirSync, rmSync, writeFileSync } from 'node:fs';
  const others = readdirSync('.').filter((name) => name.startsWith('running-'));
  if (${alone} && others.length > 0) throw new Error('listen EADDRINUSE: address already in use 127.0.0.1:1');
  const own = 'running-' + process.pid;
  writeFileSync(own, '');
  process.on('exit', () => rmSync(own));
  process.on('SIGTERM', () => process.exit());
  export const tools = { start: () => '${version} ' + (others.length === 0 ? 'alone' : 'beside another') };`;

const write = (proxy: ReloadProject, file: object): void => proxy.files.write(name, JSON.stringify(file));

test('P4 an edit of strategy in the configuration file counts from the next reload on', async (t) => {
  const proxy = await live(t, { ...scripted(besideOthers(1)), [name]: '{}' });
  const reload = (version: number): Promise<string> => {
    proxy.save(script(besideOthers(version)));
    return proxy.call('start');
  };
  assert.equal(await reload(2), '2 beside another');
  write(proxy, { strategy: 'replace' });
  assert.equal(await proxy.call('start'), '2 beside another', 'nothing is restarted for it');
  assert.equal(await reload(3), '3 alone');
  write(proxy, { strategy: 'overlap' });
  assert.equal(await reload(4), '4 beside another');
  write(proxy, { strategy: 'replace' });
  assert.equal(await reload(5), '5 alone', 'saved together with the code');
  assert.equal(proxy.stderr().match(/configuration has changed: strategy/g)?.length, 3);
});

test('P1 replace that was learned from a busy port stays, until the configuration file names a strategy', async (t) => {
  const proxy = await live(t, { ...scripted(besideOthers(1, true)), [name]: '{}' });
  const learned = (): number => proxy.stderr().match(/can't run twice at a time/g)?.length ?? 0;
  const reload = async (version: number): Promise<string> => {
    proxy.save(script(besideOthers(version, true)));
    return proxy.call('start');
  };
  assert.equal(await reload(2), '2 alone');
  assert.equal(learned(), 1);
  write(proxy, { hold: 40_000 });
  assert.equal(await reload(3), '3 alone');
  assert.equal(learned(), 1, 'an edit of something else leaves it in force');
  write(proxy, { strategy: 'overlap' });
  assert.equal(await reload(4), '4 alone');
  assert.equal(learned(), 2, 'the file says that two may run at a time, so it is tried again');
});

const MiB = 1024 * 1024;

test('P12 an edit of maxMessage in the configuration file counts for client and server', async (t) => {
  const server = `export const tools = {
    echo: ({ text }) => String(text.length),
    long: ({ length }) => 'x'.repeat(length),
    generation: () => generation };`;
  const proxy = await live(t, { ...scripted(server), [name]: '{ "maxMessage": 1 }' });
  const text = 'x'.repeat(1.5 * MiB);
  const echo = (id: string) => proxy.request('tools/call', { name: 'echo', arguments: { text } }, { id });
  const refused = await echo('too long');
  assert.equal(refused.error?.code, -32700);
  assert.match(refused.error.message, /longer than 1048576 bytes.*--max-message/);

  write(proxy, { maxMessage: 2 });
  assert.equal(await proxy.call('generation'), '2', 'a server is started with it');
  assert.equal((await echo('fits')).result.content[0].text, String(1.5 * MiB));
  assert.equal((await proxy.call('long', { length: 1.5 * MiB })).length, 1.5 * MiB);

  write(proxy, { maxMessage: 1 });
  assert.equal(await proxy.call('generation'), '3');
  assert.equal((await echo('too long again')).error?.code, -32700);
  const { result } = await proxy.request('tools/call', { name: 'long', arguments: { length: 1.5 * MiB } });
  assert.equal(result.isError, true);
  await proxy.waitForLog(new RegExp(`generation 3 wrote a line of more than ${MiB} bytes`));
});
