// .gitignore as git itself reads it: random files in nested directories, asked of `git status` and of the watch.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { fc } from '../support/property.js';
import { arrive, put, temporary, watched } from './fixture.js';

const SEGMENTS = ['a', 'b', 'gen', 'x.ts', 'y.ts', 'z.js'];
const PATTERNS = [
  'a',
  'gen/',
  '*.ts',
  '!x.ts',
  '/b',
  'a/b',
  '**/gen',
  'a/**',
  '!gen/',
  '/a/*',
  '!/a/b',
  'b/**/x.ts',
  '# no',
  '',
  '*',
];

function filesBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('.git') && !name.includes('/.git') && statSync(join(dir, name)).isFile())
    .sort();
}

test('.gitignore files mean what they mean to git', { timeout: 120_000 }, async (t) => {
  const path = fc.array(fc.constantFrom(...SEGMENTS.slice(0, 3)), { maxLength: 3 });
  const file = fc.tuple(path, fc.constantFrom(...SEGMENTS.slice(3))).map(([above, name]) => [...above, name].join('/'));
  const ignoreFile = fc.tuple(path, fc.array(fc.constantFrom(...PATTERNS), { minLength: 1, maxLength: 4 }));
  const project = fc.record({
    files: fc.array(file, { minLength: 3, maxLength: 12 }),
    ignores: fc.array(ignoreFile, { minLength: 1, maxLength: 3 }),
  });
  const property = fc.asyncProperty(project, async ({ files, ignores }) => {
    const dir = temporary(t);
    for (const name of files) put(dir, name, name);
    for (const [above, lines] of ignores) {
      // One that empties the named directory itself is the exception, and has a test of its own.
      if (above.length === 0 && lines.includes('*')) continue;
      put(dir, [...above, '.gitignore'].join('/'), `${lines.join('\n')}\n`);
    }
    execFileSync('git', ['init', '-q'], { cwd: dir });
    const listed = execFileSync('git', ['ls-files', '-z', '--others', '--exclude-standard'], {
      cwd: dir,
      encoding: 'utf8',
    });
    const expected = listed
      .split('\0')
      .filter((name) => name !== '' && !name.endsWith('.gitignore'))
      .sort();
    const w = await watched(t, { dir });
    for (const name of filesBelow(dir)) appendFileSync(join(dir, name), '+');
    await arrive();
    const changed = (await w.changes()).map((change) => relative('.', change.slice('changed '.length)));
    await w.watch.close();
    assert.deepEqual(changed, expected, JSON.stringify(ignores));
  });
  // A line that ignores a directory, which another file brings back, still speaks of what is in it.
  const broughtBack = { files: ['a/gen/x.ts', 'a/gen/a/y.ts', 'x.ts'] };
  await fc.assert(property, {
    numRuns: 60,
    examples: [
      [
        {
          ...broughtBack,
          ignores: [
            [[], ['a/**']],
            [['a'], ['!gen/']],
          ],
        },
      ],
      [
        {
          ...broughtBack,
          ignores: [
            [[], ['**/gen', '*.ts']],
            [['a'], ['!gen/', '!x.ts']],
          ],
        },
      ],
      [
        {
          ...broughtBack,
          ignores: [
            [['a'], ['/gen/*']],
            [['a', 'gen'], ['!a/']],
          ],
        },
      ],
    ],
  });
});
