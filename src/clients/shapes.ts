// The layouts in which clients keep their servers: the format of the file, where the servers stand in it, and what the
// members of an entry are called. Data only; documents.ts reads and edits files by it.

import type { Shape } from './shape.js';

const entry = { command: 'command', args: 'args', env: 'env' } as const;

/** What most clients share. Strict: the client refuses comments. */
export const mcpServers: Shape = { format: 'json', servers: ['mcpServers'], ...entry };
/** The same, with comments allowed. */
export const commentedMcpServers: Shape = { ...mcpServers, format: 'jsonc' };
export const vscodeServers: Shape = { format: 'jsonc', servers: ['servers'], ...entry };
export const zedServers: Shape = { format: 'jsonc', servers: ['context_servers'], ...entry };
export const codexServers: Shape = { format: 'toml', servers: ['mcp_servers'], ...entry };
/** Program and arguments in one array. */
export const opencodeServers: Shape = { format: 'jsonc', servers: ['mcp'], command: 'command', env: 'environment' };
/** A list whose items have names. */
export const continueServers: Shape = { format: 'yaml', servers: ['mcpServers'], nameKey: 'name', ...entry };
export const gooseServers: Shape = {
  format: 'yaml',
  servers: ['extensions'],
  command: 'cmd',
  args: 'args',
  env: 'envs',
};

/** All of them, for a file that belongs to no known client, with the words for its layout. */
export const layouts: readonly { readonly shape: Shape; readonly words: string }[] = [
  { shape: commentedMcpServers, words: 'JSON with "mcpServers" (most clients)' },
  { shape: vscodeServers, words: 'JSON with "servers" (VS Code)' },
  { shape: zedServers, words: 'JSON with "context_servers" (Zed)' },
  { shape: opencodeServers, words: 'JSON with "mcp" (opencode, Kilo)' },
  { shape: codexServers, words: 'TOML with [mcp_servers.…] (Codex)' },
  { shape: continueServers, words: 'YAML with a list "mcpServers" (Continue)' },
  { shape: gooseServers, words: 'YAML with "extensions" (Goose)' },
];
