/**
 * What is added to a failed call whose tool is not the one that the client was listed (`--hints`): what has changed,
 * when and by which file, the schema in force and what to do. The facts are those of lists/; whether anything is added,
 * and whether it was said before, is decided in exchange/hints.ts. Pure.
 */
import { propertyList, type Property, type SchemaChange } from '../lists/schema-changes.js';
import type { NearTool } from '../lists/tool-changes.js';
import { briefJson } from './brief-json.js';
import type { ToolNames } from './tool-names.js';

/** What made the tool another one. */
export interface ChangeCause {
  /** ISO 8601. */
  readonly at: string;
  /** None: a restart that no file has caused. */
  readonly files: readonly string[];
}

/** What is to be said of one tool. */
export type ToolNews =
  | {
      readonly kind: 'changed';
      readonly tool: string;
      readonly changes: readonly SchemaChange[];
      readonly schema: unknown;
      readonly cause: ChangeCause | undefined;
    }
  | {
      readonly kind: 'gone';
      readonly tool: string;
      readonly near: readonly NearTool[];
      /** The client's list lacks these. */
      readonly added: readonly string[];
      readonly cause: ChangeCause | undefined;
    };

const MAX_FILES = 3;
const MAX_CHANGES = 10;
const MAX_NAMES = 10;
/** A longer schema is not shown. */
const MAX_SCHEMA_BYTES = 2048;
const MAX_PROPERTIES = 40;
const MAX_VALUE = 100;
const MAX_NAME = 200;
const FROM = 'Note of mcp-hotline:';

/** In full: for the first time. */
export function hint(news: ToolNews, tools: ToolNames | undefined): string {
  return news.kind === 'changed' ? changedHint(news, tools) : goneHint(news, tools);
}

/** For the second time and later. */
export function shortHint(news: ToolNews): string {
  const tool = quoted(news.tool);
  if (news.kind === 'changed')
    return `${FROM} the tool ${tool} takes other arguments than your list of tools says: ${changesText(news.changes)}.`;
  const [nearest] = news.near;
  const near = nearest === undefined ? '' : `; the nearest that it has is ${quoted(nearest.name)}`;
  return `${FROM} the server does not have the tool ${tool} any more${near}.`;
}

/** `isOnly`: nobody else had a request with the server. `isCut`: there was more of it. */
export function stderrHint(text: string, isOnly: boolean, isCut: boolean): string {
  const when = isOnly ? 'during this call' : 'meanwhile, in which it had other requests too';
  return `${FROM} the server wrote this on stderr ${when}${isCut ? ' (the last 2 KB of it)' : ''}:\n${text}`;
}

function changedHint(news: Extract<ToolNews, { kind: 'changed' }>, tools: ToolNames | undefined): string {
  const { tool, changes, schema, cause } = news;
  const call = tools?.call_server_tool;
  const way =
    call === undefined
      ? ''
      : ` If your client refuses them, call ${call} with the name ${quoted(tool)} and these arguments.`;
  return [
    `${FROM} the input schema of the tool ${quoted(tool)} has changed since your list of tools was fetched${causeText(cause)}: ${changesText(changes)}.`,
    schemaText(`Its input schema is now`, schema, listTip(tool, tools)),
    `If this call failed because of that, call the tool again with arguments that fit this schema.${way}`,
  ].join('\n');
}

function goneHint(news: Extract<ToolNews, { kind: 'gone' }>, tools: ToolNames | undefined): string {
  const { tool, near, added, cause } = news;
  const gone = `${FROM} the tool ${quoted(tool)} is in your list of tools, but the server does not have it any more${causeText(cause)}.`;
  const [first, ...others] = near;
  if (first === undefined) {
    const names = added.length === 0 ? '' : ` Tools that your list lacks: ${namesText(added)}.`;
    return `${gone} No tool that it has comes near that name.${names}${unlistedTip(added[0], tools)}`;
  }
  const also = others.length === 0 ? '' : ` Next come ${namesText(others.map(({ name }) => name))}.`;
  const lacks = first.isNew ? ', which your list of tools lacks' : '';
  return [
    `${gone} The nearest that it has is ${quoted(first.name)}${lacks}.${also}`,
    schemaText(`The input schema of ${quoted(first.name)} is`, first.schema, listTip(first.name, tools)),
    `If it does what you need, call it by that name.${first.isNew ? unlistedTip(first.name, tools) : ''}`,
  ].join('\n');
}

/** How to call what the client does not offer. */
function unlistedTip(tool: string | undefined, tools: ToolNames | undefined): string {
  if (tool === undefined) return '';
  const call = tools?.call_server_tool;
  return call === undefined
    ? ' If your client does not offer it, ask the user to reconnect the MCP server.'
    : ` If your client does not offer it, call ${call} with the name ${quoted(tool)} and the arguments.`;
}

function listTip(tool: string, tools: ToolNames | undefined): string {
  return tools === undefined ? '' : ` Call ${tools.list_server_tools} with the name ${quoted(tool)} to see all of it.`;
}

function causeText(cause: ChangeCause | undefined): string {
  if (cause === undefined) return '';
  const { at, files } = cause;
  const more = files.length > MAX_FILES ? ` and ${files.length - MAX_FILES} more` : '';
  const by = files.length === 0 ? '' : `, by ${files.slice(0, MAX_FILES).join(', ')}${more}`;
  return ` (at ${at.slice(11, 19)} UTC${by})`;
}

function schemaText(what: string, schema: unknown, tip: string): string {
  const { text, isWhole } = briefJson(schema ?? {}, MAX_SCHEMA_BYTES);
  if (isWhole && Buffer.byteLength(text) < MAX_SCHEMA_BYTES) return `${what}:\n${text}`;
  const all = propertyList(schema);
  const shown = all.slice(0, MAX_PROPERTIES).map(propertyText);
  const more = all.length > shown.length ? ` and ${all.length - shown.length} more` : '';
  const takes = all.length === 0 ? '' : ` It takes ${shown.join(', ')}${more}.`;
  return `${what} too long to be shown here.${takes}${tip}`;
}

function propertyText({ name, type, required }: Property): string {
  const facts = [...(type === undefined ? [] : [type]), ...(required ? ['required'] : [])];
  return `${code(name)}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`;
}

function changesText(changes: readonly SchemaChange[]): string {
  // What words say of it matters only if nothing else has changed.
  const telling = changes.filter(({ kind }) => kind !== 'described');
  const all = telling.length > 0 ? telling : changes;
  const shown = all.slice(0, MAX_CHANGES).map(changeText);
  const more = all.length > shown.length ? [`${all.length - shown.length} more changes`] : [];
  return [...shown, ...more].join('; ');
}

function changeText(change: SchemaChange): string {
  const what = change.path === '' ? 'the object of arguments' : code(change.path);
  switch (change.kind) {
    case 'renamed':
      return `${what} is now ${code(change.to)}${change.required ? ', required' : ''}`;
    case 'added': {
      const facts = [...(change.type === undefined ? [] : [change.type]), change.required ? 'required' : 'optional'];
      return `${what} is new (${facts.join(', ')})`;
    }
    case 'removed':
      return `${what} is gone`;
    case 'required':
      return `${what} is now required`;
    case 'optional':
      return `${what} is no longer required`;
    case 'described':
      return `the description of ${what} has changed`;
    case 'tightened':
      return `${what} allows less: ${keywordText(change)}`;
    case 'loosened':
      return `${what} allows more: ${keywordText(change)}`;
    case 'changed':
      return `${what} has changed: ${keywordText(change)}`;
  }
}

function keywordText({ keyword, before, after }: Extract<SchemaChange, { keyword: string }>): string {
  const [was, is] = [valueText(before), valueText(after)];
  return was === is ? `${keyword} differs further inside` : `${keyword} is now ${is}, it was ${was}`;
}

function valueText(value: unknown): string {
  if (value === undefined) return 'not set';
  const { text, isWhole } = briefJson(value, MAX_VALUE);
  return isWhole ? text : `${text}…`;
}

function namesText(names: readonly string[]): string {
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return `${names.slice(0, MAX_NAMES).map(quoted).join(', ')}${more}`;
}

function quoted(name: string): string {
  return JSON.stringify(name);
}

function code(name: string): string {
  const short = name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME).replace(/[\ud800-\udbff]$/, '')}…`;
  return `\`${short}\``;
}
