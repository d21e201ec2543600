// The configurations of all clients in the form that each of them documents, with a server of the project in it, and
// how each client reads such an entry. Written by hand and read with parsers of their own: nothing of this comes from
// the program.

import { join } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { parse as parseJsonc } from 'jsonc-parser';
import { getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';

/** What a client would start. */
export interface Entry {
  readonly words: readonly string[];
  /** Everything else that the entry says. */
  readonly rest: Record<string, unknown>;
}

export interface Form {
  readonly client: string;
  readonly title: string;
  /** Below the project or below home. */
  readonly in: 'project' | 'home';
  readonly path: string;
  /** Where the client starts the server. */
  readonly starts: 'project' | 'elsewhere';
  text(at: { project: string }): string;
  entry(text: string, at: { project: string }): Entry;
  /** What the client puts for its variables. */
  readonly variables?: (at: { project: string }) => Readonly<Record<string, string>>;
  readonly options?: readonly string[];
}

type Data = Record<string, never>;

function reader(parse: (text: string) => unknown, keys: readonly string[]) {
  return (text: string, at: { project: string }): Entry => {
    let data = parse(text.replace(/^\uFEFF/, '')) as Data;
    for (const key of [...keys, 'mine']) data = data[key === '<project>' ? at.project : key]!;
    const { command, args = [], ...rest } = data as unknown as { command: string; args?: string[] };
    return { words: [command, ...args], rest };
  };
}

const strict = (text: string): unknown => JSON.parse(text);
const commented = (text: string): unknown => parseJsonc(text);
const toml = (text: string): unknown => getStaticTOMLValue(parseTOML(text));
const mcpServers = reader(strict, ['mcpServers']);

/** What most clients have: two servers, of which one is none of the project's. */
function usual(server: (project: string) => string, more = ''): Form['text'] {
  return ({ project }) => `{
  "mcpServers": {
    "docs": { "command": "npx", "args": ["-y", "@scope/docs"] },
    "mine": {
      "command": "node",
      "args": [${JSON.stringify(server(project))}]${more}
    }
  }
}
`;
}

const relative = () => 'src/tools.mjs';
const absolute = (project: string) => join(project, 'src/tools.mjs');
const env = ',\n      "env": { "TOKEN": "s3cret" }';

export const forms: readonly Form[] = [
  {
    client: 'claude-code',
    title: '.mcp.json, with a variable',
    in: 'project',
    path: '.mcp.json',
    starts: 'project',
    text: usual(() => '${SOURCES:-src}/tools.mjs', env),
    entry: mcpServers,
    variables: () => ({ '${SOURCES:-src}': 'src' }),
  },
  {
    client: 'claude-code',
    title: 'the servers of one project in ~/.claude.json',
    in: 'home',
    path: '.claude.json',
    starts: 'project',
    text: ({ project }) =>
      JSON.stringify(
        {
          numStartups: 12,
          projects: {
            '/somewhere/else': {
              mcpServers: { mine: { type: 'stdio', command: 'node', args: ['other.js'], env: {} } },
            },
            [project]: {
              allowedTools: [],
              mcpServers: { mine: { type: 'stdio', command: 'node', args: ['src/tools.mjs'], env: {} } },
            },
          },
          mcpServers: { mine: { type: 'stdio', command: 'node', args: ['/nowhere/x.js'] } },
        },
        undefined,
        2,
      ),
    entry: reader(strict, ['projects', '<project>', 'mcpServers']),
  },
  {
    client: 'claude-code',
    title: "the user's own servers in ~/.claude.json",
    in: 'home',
    path: '.claude.json',
    starts: 'elsewhere',
    text: usual(absolute, ',\n      "type": "stdio"'),
    entry: mcpServers,
    options: ['--user'],
  },
  {
    client: 'claude-desktop',
    title: 'claude_desktop_config.json',
    in: 'home',
    path: '.config/Claude/claude_desktop_config.json',
    starts: 'elsewhere',
    text: usual(absolute, env),
    entry: mcpServers,
  },
  {
    client: 'vscode',
    title: '.vscode/mcp.json, with comments, inputs and ${workspaceFolder}',
    in: 'project',
    path: '.vscode/mcp.json',
    starts: 'project',
    text: () => `{
  // asked for once
  "inputs": [{ "type": "promptString", "id": "token", "description": "Token", "password": true }],
  "servers": {
    "mine": {
      "type": "stdio", /* the default */
      "command": "node",
      "args": ["\${workspaceFolder}/src/tools.mjs"],
      "env": { "TOKEN": "\${input:token}" },
    },
    "remote": { "type": "http", "url": "https://example.com/mcp" },
  },
}
`,
    entry: reader(commented, ['servers']),
    variables: ({ project }) => ({ '${workspaceFolder}': project }),
  },
  {
    client: 'vscode',
    title: 'mcp.json of the profile',
    in: 'home',
    path: '.config/Code/User/profiles/1a2b/mcp.json',
    starts: 'elsewhere',
    text: ({ project }) =>
      `{ "servers": { "mine": { "command": "node", "args": ["${project}/src/tools.mjs"], "cwd": "${project}" } } }`,
    entry: reader(commented, ['servers']),
    options: ['--user'],
  },
  {
    client: 'cursor',
    title: '.cursor/mcp.json',
    in: 'project',
    path: '.cursor/mcp.json',
    starts: 'elsewhere',
    text: usual(() => '${workspaceFolder}/src/tools.mjs'),
    entry: mcpServers,
    variables: ({ project }) => ({ '${workspaceFolder}': project }),
  },
  {
    client: 'windsurf',
    title: 'mcp_config.json',
    in: 'home',
    path: '.codeium/windsurf/mcp_config.json',
    starts: 'elsewhere',
    text: usual(absolute),
    entry: mcpServers,
  },
  {
    client: 'zed',
    title: 'context_servers in .zed/settings.json',
    in: 'project',
    path: '.zed/settings.json',
    starts: 'elsewhere',
    text: () => `// Folder-specific settings
{
  "tab_size": 2,
  "context_servers": {
    "mine": { "source": "custom", "command": "node", "args": ["src/tools.mjs"], "env": {} },
  },
}
`,
    entry: reader(commented, ['context_servers']),
  },
  {
    client: 'codex',
    title: 'config.toml of the project',
    in: 'project',
    path: '.codex/config.toml',
    starts: 'project',
    text: () => `model = "gpt" # a comment

[mcp_servers.docs]
url = "https://example.com/mcp"

[mcp_servers.mine]
command = "node"
args = ['src/tools.mjs'] # literal
startup_timeout_sec = 20

[mcp_servers.mine.env]
TOKEN = "s3cret"
`,
    entry: reader(toml, ['mcp_servers']),
  },
  {
    client: 'gemini',
    title: '.gemini/settings.json, with a directory of its own',
    in: 'project',
    path: '.gemini/settings.json',
    starts: 'project',
    text: usual(() => 'tools.mjs', ',\n      "cwd": "src",\n      "timeout": 5000'),
    entry: mcpServers,
  },
  {
    client: 'qwen',
    title: '.qwen/settings.json',
    in: 'project',
    path: '.qwen/settings.json',
    starts: 'project',
    text: usual(relative),
    entry: mcpServers,
  },
  {
    client: 'qwen',
    title: '.mcp.json',
    in: 'project',
    path: '.mcp.json',
    starts: 'project',
    text: usual(relative),
    entry: mcpServers,
  },
  {
    client: 'opencode',
    title: 'opencode.jsonc, whose command is an array',
    in: 'project',
    path: 'opencode.jsonc',
    starts: 'project',
    text: () => `{
  "$schema": "https://opencode.ai/config.json",
  "mcp": {
    // local
    "mine": { "type": "local", "command": ["node", "src/tools.mjs"], "environment": { "TOKEN": "{env:TOKEN}" }, "enabled": true }
  }
}
`,
    entry: arrayEntry,
  },
  {
    client: 'opencode',
    title: '.opencode/opencode.json',
    in: 'project',
    path: '.opencode/opencode.json',
    starts: 'project',
    text: () => '{ "mcp": { "mine": { "type": "local", "command": ["node", "src/tools.mjs"] } } }\n',
    entry: arrayEntry,
  },
  {
    client: 'kilo',
    title: 'kilo.json',
    in: 'home',
    path: '.config/kilo/kilo.json',
    starts: 'elsewhere',
    text: ({ project }) => JSON.stringify({ mcp: { mine: { type: 'local', command: ['node', absolute(project)] } } }),
    entry: arrayEntry,
  },
  {
    client: 'kilo',
    title: '.kilo/kilo.jsonc of a project',
    in: 'project',
    path: '.kilo/kilo.jsonc',
    starts: 'project',
    text: () => '{ "mcp": { "mine": { "type": "local", "command": ["node", "src/tools.mjs"] } } } // ours\n',
    entry: arrayEntry,
  },
  {
    client: 'copilot',
    title: '.github/mcp.json',
    in: 'project',
    path: '.github/mcp.json',
    starts: 'project',
    text: usual(relative, ',\n      "tools": ["*"]'),
    entry: mcpServers,
  },
  {
    client: 'copilot',
    title: 'mcp-config.json',
    in: 'home',
    path: '.copilot/mcp-config.json',
    starts: 'elsewhere',
    text: usual(absolute, ',\n      "type": "local",\n      "tools": ["*"]'),
    entry: mcpServers,
  },
  {
    client: 'cline',
    title: 'cline_mcp_settings.json',
    in: 'home',
    path: '.cline/data/settings/cline_mcp_settings.json',
    starts: 'elsewhere',
    text: usual(absolute, ',\n      "disabled": false,\n      "timeout": 60'),
    entry: mcpServers,
  },
  {
    client: 'continue',
    title: 'a list in config.yaml',
    in: 'home',
    path: '.continue/config.yaml',
    starts: 'elsewhere',
    text: ({ project }) => `name: Local # a comment
version: 1.0.0
mcpServers:
  - name: docs
    url: https://example.com/mcp
  - name: mine
    command: node
    args:
      - ${project}/src/tools.mjs
    env:
      TOKEN: \${{ secrets.TOKEN }}
`,
    entry: (text) => {
      const { mcpServers: list } = parseYaml(text) as { mcpServers: ({ name: string } & Data)[] };
      const { command, args, ...rest } = list.find(({ name }) => name === 'mine') as unknown as {
        command: string;
        args: string[];
      };
      return { words: [command, ...args], rest };
    },
  },
  {
    client: 'goose',
    title: 'extensions in config.yaml',
    in: 'home',
    path: '.config/goose/config.yaml',
    starts: 'elsewhere',
    text: ({ project }) => `GOOSE_PROVIDER: openai
extensions:
  mine:
    args: ['${project}/src/tools.mjs']
    cmd: node
    enabled: true
    envs: {}
    name: mine
    type: stdio
`,
    entry: (text) => {
      const { extensions } = parseYaml(text) as { extensions: { mine: { cmd: string; args: string[] } } };
      const { cmd, args, ...rest } = extensions.mine;
      return { words: [cmd, ...args], rest };
    },
  },
  {
    client: 'kiro',
    title: '.kiro/settings/mcp.json',
    in: 'project',
    path: '.kiro/settings/mcp.json',
    starts: 'elsewhere',
    text: usual(relative, ',\n      "disabled": false,\n      "autoApprove": []'),
    entry: mcpServers,
  },
  {
    client: 'junie',
    title: '.junie/mcp/mcp.json',
    in: 'project',
    path: '.junie/mcp/mcp.json',
    starts: 'elsewhere',
    text: usual(relative),
    entry: mcpServers,
  },
  {
    client: 'lmstudio',
    title: 'mcp.json',
    in: 'home',
    path: '.lmstudio/mcp.json',
    starts: 'elsewhere',
    text: usual(absolute),
    entry: mcpServers,
  },
  {
    client: 'warp',
    title: '.mcp.json of the user',
    in: 'home',
    path: '.warp/.mcp.json',
    starts: 'elsewhere',
    text: usual(absolute),
    entry: mcpServers,
  },
];

function arrayEntry(text: string): Entry {
  const { mcp } = commented(text) as { mcp: { mine: { command: string[] } } };
  const { command, ...rest } = mcp.mine;
  return { words: command, rest };
}
