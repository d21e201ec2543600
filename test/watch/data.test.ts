// Roots for data: how much of it is watched. Which names count is for test/config/discovery, where they are found.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { test } from 'node:test';
import { MAX_DATA_DIRECTORIES, MAX_DATA_FILES } from '#src/watch/data-files.js';
import { openWatch } from '#src/watch/watch.js';
import { project } from '../support/project.js';

test('a store of data files, and more directories than anybody writes by hand, are not watched for data', async (t) => {
  const files = Object.fromEntries(
    Array.from({ length: MAX_DATA_FILES + 1 }, (_, index) => [`store/${index}.json`, '']),
  );
  const here = project(t, { ...files, 'prompts/a.md': '', 'src/a.ts': '' });
  const deep = Array.from({ length: MAX_DATA_DIRECTORIES + 1 }, (_, index) => `many/${index}`);
  for (const directory of deep) mkdirSync(here.path(directory), { recursive: true });
  const warnings: string[] = [];
  const watch = openWatch(
    {
      cwd: here.directory,
      ignore: [],
      ext: [],
      debounce: 10,
      poll: undefined,
      never: [],
      since: 0,
      rules: [{ name: 'server', paths: ['src'], data: ['.'] }],
    },
    { onQuiet: () => {}, warn: ({ text }) => warnings.push(text) },
  );
  const mark = watch.mark();
  await watch.ready;
  const seen = watch.changedSince(mark).map(({ path, data }) => [path, data]);
  await watch.close();
  assert.ok(seen.some(([path]) => path === 'src/a.ts') && !seen.some(([path]) => `${path}`.startsWith('store/')));
  assert.equal(warnings.filter((text) => /^store holds more than \d+ data files.*--also-watch/.test(text)).length, 1);
  assert.equal(warnings.filter((text) => /^There are more than \d+ directories/.test(text)).length, 1);
});
