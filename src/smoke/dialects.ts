// The dialects of JSON Schema that tools may use, each with its own validator. A file of its own because it is large
// and loaded only when a schema is checked; schemas.ts finds out the dialect of a schema.

export { Ajv } from 'ajv';
export { Ajv2019 } from 'ajv/dist/2019.js';
export { Ajv2020 } from 'ajv/dist/2020.js';
