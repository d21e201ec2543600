// Writes the JSON schema of the configuration file to schema/, from the build. `--check` writes nothing and fails if
// the file is not the one that the sources make.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { configSchema } from '../dist/config/file/schema.js';

const directory = new URL('../schema/', import.meta.url);
const file = new URL('mcp-hotline.schema.json', directory);
const text = await format(JSON.stringify(configSchema()), { parser: 'json', printWidth: 120 });

if (!process.argv.includes('--check')) {
  mkdirSync(directory, { recursive: true });
  writeFileSync(file, text);
} else if (readFileSync(file, 'utf8') !== text) {
  console.error('schema/mcp-hotline.schema.json is not what the sources make: npm run build writes it');
  process.exitCode = 1;
}
