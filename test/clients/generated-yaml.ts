// Generated YAML files: servers as a map or as a list, each in block or flow style, with scalars of every kind.
import { parse } from 'yaml';
import { MARK, membersOf, pick, type Draw, type Server } from './generated.js';

export function yamlText(draw: Draw, all: readonly Server[], listed: boolean): string {
  const eol = pick(draw, '\n', '\r\n');
  const step = pick(draw, ' ', '  ', '    ');

  /** Every spelling that means the value where it is to stand. */
  const scalar = (value: string, indent: string, flow: boolean): string => {
    const spellings = [
      value,
      `'${value.replaceAll("'", "''")}'`,
      `|-${eol}${indent}${value}`,
      `>-  # c${eol}${indent}${value}`,
      ...(value === '' ? [] : [`!!str ${value}`]),
      `&anchor ${JSON.stringify(value)}`,
    ].filter((each) => means(flow ? `[${each}]` : `${indent.slice(1)}- ${each}${eol}`, value));
    return pick(draw, JSON.stringify(value), ...spellings);
  };
  const gap = (indent: string): string => pick(draw, '', ' ', `${eol}${indent}`, ` # [c${eol}${indent}`);
  const flow = (value: unknown, indent: string): string => {
    if (typeof value === 'string') return scalar(value, indent, true);
    const parts = Array.isArray(value)
      ? value.map((each) => flow(each, indent))
      : Object.entries(value as object).map(([key, inner]) => `${quoted(key)}: ${flow(inner, indent)}`);
    const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
    if (parts.length === 0) return `${open}${pick(draw, '', ' ')}${close}`;
    const trailing = pick(draw, '', `,${gap(indent)}`);
    return `${open}${parts.map((part) => `${gap(indent)}${part}${gap(indent)}`).join(',')}${trailing}${close}`;
  };
  /** What follows a colon or a dash in block style. */
  const block = (value: unknown, indent: string): string => {
    if (typeof value === 'string') return ` ${scalar(value, indent + step, false)}${end()}`;
    const members = Array.isArray(value) ? value.map((each) => ['', each]) : Object.entries(value as object);
    if (members.length === 0 || pick(draw, true, false, false)) return ` ${flow(value, indent + step)}${end()}`;
    const inner = Array.isArray(value) && pick(draw, true, false) ? indent : indent + step;
    const lines = members.map(([key, each]) => {
      const begin = Array.isArray(value) ? '-' : `${quoted(String(key))}:`;
      return `${note(inner)}${inner}${begin}${block(each, inner)}`;
    });
    return `${pick(draw, '', ' # c')}${eol}${lines.join('')}`;
  };
  const end = (): string => pick(draw, eol, eol, `${eol}${eol}`);
  const note = (indent: string): string => pick(draw, '', '', '', `${indent}# - c: d${eol}`);
  const quoted = (key: string): string =>
    means(`{${key}: 1}`, undefined, key) && pick(draw, true, false) ? key : JSON.stringify(key);

  const entries = all.map((each) => [each.name, Object.fromEntries(membersOf(draw, each))] as const);
  const servers = listed ? entries.map(([name, entry]) => ({ name, ...entry })) : Object.fromEntries(entries);
  const begin = pick(draw, '', `---${eol}`, `%YAML 1.2${eol}---${eol}`, `# c${eol}`);
  const text = `${begin}mark: ${MARK}${eol}mcpServers:${block(servers, '')}more: [1, ~]`;
  return text + pick(draw, '', eol, `${eol}...${eol}`);
}

function means(text: string, value: string | undefined, key?: string): boolean {
  try {
    const data: unknown = parse(text, { logLevel: 'error' });
    if (key === undefined) return Array.isArray(data) && data.length === 1 && data[0] === value;
    const [first, ...others] = Object.keys(data as object);
    return first === key && others.length === 0;
  } catch {
    return false;
  }
}
