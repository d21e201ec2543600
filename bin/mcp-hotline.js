#!/usr/bin/env node
// Loads the build. What that compiles is kept for the next start where Node can do so (from 22.1 on); before that, the build
// brings it along. Only the loader of Node maps stack traces to the sources, for those who ask for it. Written so that an old Node can
// read it, to be told that it is one.
var version = process.versions.node.split('.').map(Number);
if (version[0] < 20 || (version[0] === 20 && version[1] < 19)) {
  console.error('mcp-hotline: this is Node ' + process.versions.node + ', and it needs Node 20.19 or newer.');
  process.exit(1);
}
var enableCompileCache = require('node:module').enableCompileCache;
try {
  if (enableCompileCache === undefined && !process.sourceMapsEnabled) {
    require('./compiled.js').load('main.cjs');
  } else {
    if (enableCompileCache !== undefined) enableCompileCache();
    require('../dist/bundle/main.cjs');
  }
} catch (error) {
  var main = require('node:path').join(__dirname, '../dist/bundle/main.cjs');
  if (require('node:fs').existsSync(main)) throw error;
  var root = require('node:path').dirname(__dirname);
  console.error('mcp-hotline: it has not been built yet: run `npm run build` in ' + root + '.');
  process.exit(1);
}
