#!/usr/bin/env node
// Loads the build. What that compiles is kept for the next start where Node can do so (from 22.1 on); before that, the build
// brings it along. Only the loader of Node maps stack traces to the sources, for those who ask for it.
const { enableCompileCache } = require('node:module');
if (enableCompileCache === undefined && !process.sourceMapsEnabled) {
  require('./compiled.js').load('main.cjs');
} else {
  enableCompileCache?.();
  require('../dist/bundle/main.cjs');
}
