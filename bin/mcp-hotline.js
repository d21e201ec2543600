#!/usr/bin/env node
// Loads the build. What that compiles is kept for the next start where Node can do so (from 22.1 on).
const { enableCompileCache } = require('node:module');
enableCompileCache?.();
require('../dist/bundle/main.cjs');
