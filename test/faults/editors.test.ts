// Every way to save (save-patterns.ts) is one reload, to what was saved in the end, and what editors keep around is
// none. A file that is half written is good code here that says so, so that nobody takes it for the whole unnoticed.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type ReloadProject, watched } from '../support/reload-project.js';
import { behaviour } from '../support/reloadable.js';
import { editors } from './save-patterns.js';

const file = 'src/behaviour.mjs';

/** Up to the mark it is a module by itself. */
const text = (version: string) =>
  `const version = '${version}'; ${behaviour('half').replace('export default', 'const all =')}
  export default all;
  // half
  all.answer = version;\n`;

const lastFiles = (proxy: ReloadProject) => proxy.logged('reloaded').at(-1)!.files as string[];

describe('editors', { concurrency: 3 }, () => {
  test('P4 P5 P6 each way to save is one reload, and what an editor keeps around is none', async (t) => {
    const proxy = await watched(t, { options: ['-d', '20000'], prepare: (files) => files.write(file, text('begun')) });
    for (const [how, editor] of Object.entries(editors)) {
      const before = await proxy.generation();
      editor.open?.(proxy.files.path(file));
      assert.equal(await proxy.generation(), before, `${how}: opening`);
      await editor.save(proxy.files.path(file), text(how));
      assert.equal(await proxy.call(), how);
      assert.equal(await proxy.generation(), before + 1, how);
      assert.deepEqual(lastFiles(proxy), [file], how);
      await editor.save(proxy.files.path(file), text(how));
      editor.close?.(proxy.files.path(file));
      assert.equal(await proxy.generation(), before + 1, `${how}: the same again, and closing`);
    }
    assert.equal(proxy.logged('reloaded').length, Object.keys(editors).length);
    assert.deepEqual(proxy.logged('failed'), []);
  });

  test('P6 a save in several steps that nobody asks about is one reload, when it is over', async (t) => {
    const proxy = await watched(t, { options: ['-d', '1000'], prepare: (files) => files.write(file, text('begun')) });
    const slow = Object.entries(editors).filter(([how]) => /vim|JetBrains|two steps/.test(how));
    for (const [at, [how, editor]] of slow.entries()) {
      editor.open?.(proxy.files.path(file));
      await editor.save(proxy.files.path(file), text(how));
      const { files, generation } = await proxy.untilLogged('reloaded', at + 1);
      assert.deepEqual([files, generation], [[file], at + 2], how);
      assert.equal(await proxy.call(), how);
    }
    assert.equal(proxy.logged('reloaded').length, slow.length);
  });

  test('P4 saves in all ways under a stream of calls: a half file is never the answer to who asked after the save', async (t) => {
    const proxy = await watched(t, { prepare: (files) => files.write(file, text('begun')) });
    const ways = Object.entries(editors);
    const order = ['begun', ...ways.map(([how]) => how)];
    let [begun, saved] = [0, 0];
    const over = new AbortController();
    const stream = [1, 2].map(async () => {
      while (!over.signal.aborted) {
        const asked = saved;
        const { result } = await proxy.request('tools/call', { name: 'answer' });
        const answer = result.content[0].text as string;
        // In the middle of a save, what is there may be half a file, or none.
        const halfway = begun > asked && (answer === 'half' || result.isError === true);
        const fits = order.indexOf(answer) >= asked || halfway;
        assert.ok(fits, `asked at "${order[asked]}", answered "${answer}"\n${proxy.transcript()}`);
        await delay(5);
      }
    });
    for (const [how, editor] of ways) {
      begun++;
      await editor.save(proxy.files.path(file), text(how));
      saved++;
      assert.equal(await proxy.call(), how);
    }
    over.abort();
    await Promise.all(stream);
    assert.deepEqual(proxy.duplicates, []);
  });
});
