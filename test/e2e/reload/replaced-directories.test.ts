// P4 for directories that are replaced as a whole: a link to a directory that is pointed elsewhere, and another project
// that is put in the place of the one that the proxy was started in. A call tells which code answers. What is watched
// in detail is for test/watch.

import assert from 'node:assert/strict';
import { renameSync, symlinkSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { project, startProxy } from '../../support/harness.js';
import type { Project } from '../../support/project.js';
import { behaviour, reloadable } from '../../support/reloadable.js';

const CHOICES: readonly string[][] = [
  [],
  ['--watch', 'src'],
  ['--watch', '**/*.mjs'],
  ['--watch', '.', '--ext', 'mjs'],
];

/** A project in the directory `project` of what is returned, the proxy in it, and what its server says. */
async function started(t: TestContext, options: readonly string[], prepare: (files: Project) => void) {
  const sources = Object.entries(reloadable('one')).map(([file, text]) => [`project/${file}`, text] as const);
  const files = project(t, { ...Object.fromEntries(sources), 'project/package.json': '{}' });
  prepare(files);
  const proxy = startProxy(t, { options, command: [process.execPath, 'server.mjs'], cwd: files.path('project') });
  await proxy.initialize();
  const call = async () => {
    const { result } = await proxy.request('tools/call', { name: 'answer', arguments: {} });
    return result.content[0].text as string;
  };
  return { proxy, files, call };
}

/** As `ln -sfn` does it. */
function point(link: string, target: string): void {
  symlinkSync(target, `${link}.next`);
  renameSync(`${link}.next`, link);
}

for (const options of CHOICES) {
  const chosen = options.length === 0 ? 'nothing given' : options.join(' ');

  test(`P4 fresh, ${chosen}: a directory link that is pointed elsewhere counts`, async (t) => {
    const { files, call } = await started(t, options, (prepared) => {
      prepared.write('b/behaviour.mjs', behaviour('two'));
      prepared.write('project/inside/behaviour.mjs', behaviour('three'));
      renameSync(prepared.path('project/src'), prepared.path('a'));
      symlinkSync('../a', prepared.path('project/src'));
    });
    assert.equal(await call(), 'one');
    point(files.path('project/src'), '../b');
    assert.equal(await call(), 'two');
    point(files.path('project/src'), 'inside');
    assert.equal(await call(), 'three');
  });

  test(`P4 fresh, ${chosen}: another project in the place of this one counts, and so do edits in it`, async (t) => {
    const { proxy, files, call } = await started(t, options, (prepared) => {
      for (const [file, text] of Object.entries(reloadable('two'))) prepared.write(`other/${file}`, text);
      prepared.write('other/package.json', '{}');
    });
    assert.equal(await call(), 'one');
    renameSync(files.path('project'), files.path('gone'));
    renameSync(files.path('other'), files.path('project'));
    assert.equal(await call(), 'two', proxy.transcript());
    files.write('project/src/behaviour.mjs', behaviour('three'));
    assert.equal(await call(), 'three', proxy.transcript());
    files.write('gone/src/behaviour.mjs', behaviour('nobody reads this'));
    assert.equal(await call(), 'three', proxy.transcript());
  });
}
