// Runs the bin as bin/mcp-hotline.js does, and keeps what V8 has compiled of each file when it ends. compile.mjs starts
// it.
import { renameSync, writeFileSync } from 'node:fs';
import { load, scripts } from '../bin/compiled.js';

process.on('exit', () => {
  for (const [file, script] of scripts) {
    // Whole or not at all: somebody may be starting.
    writeFileSync(`${file}.draft`, script.createCachedData());
    renameSync(`${file}.draft`, `${file}.compiled`);
  }
});
load('main.cjs');
