// Writes the JSON schema of the configuration file to schema/, from the build. A test says when it is due.
import { mkdirSync, writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { configSchema } from '../dist/config/file/schema.js';

const directory = new URL('../schema/', import.meta.url);
mkdirSync(directory, { recursive: true });
const text = await format(JSON.stringify(configSchema()), { parser: 'json', printWidth: 120 });
writeFileSync(new URL('mcp-hotline.schema.json', directory), text);
