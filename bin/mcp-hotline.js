#!/usr/bin/env node
// Loads the build. What that compiles is kept for the next start where Node can do so (from 22.1 on); before that, the build
// brings it along. Only the loader of Node maps stack traces to the sources, for those who ask for it. Written so that an old Node can
// read it, to be told that it is one.
const [major, minor] = process.versions.node.split('.').map(Number);

function refuse(why) {
  process.stderr.write('mcp-hotline: ' + why + '\n');
  process.exit(1);
}

if (major < 20 || (major === 20 && minor < 19)) {
  refuse('this is Node ' + process.versions.node + ', and it needs Node 20.19 or newer.');
}
const { enableCompileCache } = require('node:module');
try {
  if (enableCompileCache === undefined && !process.sourceMapsEnabled) {
    require('./compiled.js').load('main.cjs');
  } else {
    if (enableCompileCache !== undefined) enableCompileCache();
    require('../dist/bundle/main.cjs');
  }
} catch (error) {
  const { dirname, join } = require('node:path');
  const root = dirname(__dirname);
  const { existsSync } = require('node:fs');
  if (existsSync(join(root, 'dist/bundle/main.cjs'))) throw error;
  if (existsSync(join(root, 'scripts/build.mjs'))) {
    refuse('it has not been built yet: run `npm run build` in ' + root + '.');
  }
  // From git, npm installs what is published; only a script of the clone could have built it.
  refuse(
    'it was installed without being built: run `npm uninstall mcp-hotline`, then install it without --ignore-scripts.',
  );
}
