// The JSON schema of the configuration file, for editors, made from the same shape as the validator. scripts/schema.mjs
// writes it to schema/. It differs in one point: it accepts the signals of any system, the validator only those of this
// one.

import { switchWords, type OptionSpec } from '../option-spec.js';
import { actions, fileShape, reloadSignals, type Shape } from './shape.js';

export type Schema = Readonly<Record<string, unknown>>;

/** The values that `signal` can have on one system or another, besides the signals that a rule can send. */
const otherSignals = `
  SIGABRT SIGBREAK SIGBUS SIGCHLD SIGFPE SIGILL SIGINFO SIGIOT SIGKILL SIGLOST SIGPIPE SIGPOLL SIGPWR SIGSEGV SIGSTKFLT
  SIGSTOP SIGSYS SIGTRAP SIGTTIN SIGTTOU SIGUNUSED SIGXCPU SIGXFSZ`
  .trim()
  .split(/\s+/);

/** One or more endings with commas between; a leading `*.` or dot is not part of the ending. */
const ending = '\\s*(\\*?\\.+)?[^\\s/\\\\*?,.\\u0000][^\\s/\\\\*?,\\u0000]*\\s*';

export function configSchema(): Schema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'mcp-hotline',
    description:
      'The configuration of mcp-hotline: mcp-hotline.config.jsonc, or the key "mcp-hotline" in package.json.',
    ...schemaOf(fileShape),
  };
}

function schemaOf(shape: Shape): Schema {
  switch (shape.kind) {
    case 'text':
      return { type: 'string', pattern: shape.pattern };
    case 'then':
      return { enum: [...actions, ...reloadSignals], default: 'restart' };
    case 'switch':
      return { type: 'boolean', default: false };
    case 'list':
      return { type: 'array', items: schemaOf(shape.of), ...(shape.least > 0 && { minItems: shape.least }) };
    case 'record':
      return {
        type: 'object',
        propertyNames: { pattern: shape.names },
        additionalProperties: schemaOf(shape.of),
      };
    case 'option':
      return optionSchema(shape.spec);
    case 'object': {
      const { keys, required, needs, apart } = shape;
      const properties = Object.entries(keys).map(([key, { shape: part, description }]) => [
        key,
        { description, ...schemaOf(part) },
      ]);
      return {
        type: 'object',
        properties: Object.fromEntries(properties) as Schema,
        additionalProperties: false,
        ...(required.length > 0 && { required }),
        ...(needs.length > 0 && { dependencies: Object.fromEntries(needs.map(([key, other]) => [key, [other]])) }),
        ...(apart.length > 0 && { allOf: apart.map((pair) => ({ not: { required: pair } })) }),
      };
    }
  }
}

/** Without a pattern: any text but the empty one. */
function textSchema(pattern = '^[^\\u0000]+$'): Schema {
  return { type: 'string', pattern };
}

function optionSchema(spec: OptionSpec): Schema {
  const usual = 'default' in spec && spec.default !== undefined ? { default: spec.default } : {};
  return { ...('bare' in spec ? { anyOf: [valueSchema(spec), { type: 'boolean' }] } : valueSchema(spec)), ...usual };
}

function valueSchema(spec: OptionSpec): Schema {
  switch (spec.type) {
    case 'list':
      return {
        type: 'array',
        items: spec.endings ? { type: 'string', pattern: `^${ending}(,${ending})*$` } : textSchema(spec.form?.pattern),
      };
    case 'number':
      return { type: 'integer', minimum: spec.min, maximum: spec.max };
    case 'text':
      return textSchema(spec.form?.pattern);
    case 'choice':
      return { enum: spec.choices };
    case 'switch':
      return spec.modes === undefined ? { type: 'boolean' } : { enum: [true, false, ...switchWords(spec)] };
    default:
      return { enum: [...reloadSignals, ...otherSignals].sort() };
  }
}
