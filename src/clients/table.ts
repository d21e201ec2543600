// The MCP clients as data: their files, how they start servers, whether they heed `list_changed`, and how each of these
// facts is known. places.ts resolves the roots of the paths; prefix.ts makes what is written into the files.

import type { Client, FileSpec, Root } from './client.js';
import {
  codexServers,
  commentedMcpServers,
  continueServers,
  gooseServers,
  mcpServers,
  opencodeServers,
  vscodeServers,
  zedServers,
} from './shapes.js';
import type { Shape } from './shape.js';

type More = Omit<FileSpec, 'root' | 'path' | 'scope' | 'shape'>;

function inProject(path: string, shape: Shape, more: More = {}): FileSpec {
  return { root: 'project', path, scope: 'project', shape, ...more };
}

function ofUser(root: Root, path: string, shape: Shape, more: More = {}): FileSpec {
  return { root, path, scope: 'user', shape, ...more };
}

/** Read by four clients. */
const rootFile = inProject('.mcp.json', mcpServers);
/** opencode's, which Kilo reads too. */
const opencodeFiles = ['opencode.json', 'opencode.jsonc'].map((path) => inProject(path, opencodeServers));
const editors = ['Code', 'Code - Insiders', 'VSCodium'];
const clineFile = 'globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json';

export const clients: readonly Client[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    files: [
      rootFile,
      {
        root: 'home',
        path: '.claude.json',
        scope: 'project',
        shape: mcpServers,
        byProject: 'projects',
        rewritten: true,
        directoryVariable: 'CLAUDE_CONFIG_DIR',
      },
      ofUser('home', '.claude.json', mcpServers, { rewritten: true, directoryVariable: 'CLAUDE_CONFIG_DIR' }),
    ],
    signs: [
      { root: 'home', path: '.claude.json' },
      { root: 'home', path: '.claude' },
    ],
    startsIn: 'project',
    variables: ['${V}'],
    listChanged: { heeds: true, evidence: 'run', note: 'in the same turn' },
    note: 'While it runs it writes ~/.claude.json itself: quit it before that file is changed.',
    afterWrap:
      'run /mcp and reconnect the server, or start Claude Code again; it may ask you to approve a changed .mcp.json',
  },
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    files: [ofUser('applications', 'Claude/claude_desktop_config.json', mcpServers)],
    signs: [{ root: 'applications', path: 'Claude' }],
    startsIn: 'elsewhere',
    variables: [],
    listChanged: { heeds: false, evidence: 'hearsay' },
    note: 'Servers that were installed as .mcpb extensions are not in its file, and are left alone.',
    afterWrap: 'quit Claude Desktop and start it again',
  },
  {
    id: 'vscode',
    name: 'VS Code',
    files: [
      inProject('.vscode/mcp.json', vscodeServers),
      rootFile,
      ...editors.map((editor) => ofUser('applications', `${editor}/User/mcp.json`, vscodeServers)),
      ...editors.map((editor) => ofUser('applications', `${editor}/User/profiles/*/mcp.json`, vscodeServers)),
    ],
    signs: editors.map((editor) => ({ root: 'applications', path: editor })),
    startsIn: 'project',
    variables: ['${env:V}'],
    workspaceFolder: true,
    listChanged: { heeds: true, evidence: 'run' },
    note: 'Leave out "dev" on a wrapped server: it would restart the proxy, and attach the debugger to it.',
    afterWrap: 'run "MCP: List Servers" and start the server again; VS Code may ask whether you trust it',
  },
  {
    id: 'cursor',
    name: 'Cursor',
    files: [inProject('.cursor/mcp.json', mcpServers), ofUser('home', '.cursor/mcp.json', mcpServers)],
    signs: [{ root: 'home', path: '.cursor' }],
    startsIn: 'elsewhere',
    variables: ['${env:V}'],
    workspaceFolder: true,
    listChanged: { heeds: undefined, evidence: 'hearsay', note: 'reports disagree' },
    note: 'If a new tool does not show up, switch the server off and on in its settings.',
    afterWrap: 'switch the server off and on in Settings > MCP',
  },
  {
    id: 'windsurf',
    name: 'Windsurf',
    files: [ofUser('home', '.codeium/windsurf/mcp_config.json', mcpServers)],
    signs: [{ root: 'home', path: '.codeium/windsurf' }],
    startsIn: 'elsewhere',
    variables: ['${env:V}'],
    listChanged: { heeds: true, evidence: 'hearsay' },
    note: 'It has one file for all projects.',
    afterWrap: 'press the refresh button in the list of MCP servers',
  },
  {
    id: 'zed',
    name: 'Zed',
    files: [
      inProject('.zed/settings.json', zedServers),
      ofUser('config', 'zed/settings.json', zedServers, { platforms: ['linux', 'darwin'] }),
      ofUser('applications', 'Zed/settings.json', zedServers, { platforms: ['win32'] }),
    ],
    signs: [
      { root: 'config', path: 'zed', platforms: ['linux', 'darwin'] },
      { root: 'applications', path: 'Zed', platforms: ['win32'] },
    ],
    startsIn: 'elsewhere',
    variables: [],
    listChanged: { heeds: true, evidence: 'documentation' },
    note: 'It starts a server again by itself when its entry changes.',
    afterWrap: 'nothing: Zed starts the server again by itself',
  },
  {
    id: 'codex',
    name: 'Codex',
    clientInfoName: 'codex-mcp-client',
    files: [
      inProject('.codex/config.toml', codexServers),
      ofUser('home', '.codex/config.toml', codexServers, { directoryVariable: 'CODEX_HOME' }),
    ],
    signs: [{ root: 'home', path: '.codex' }],
    startsIn: 'project',
    variables: [],
    listChanged: { heeds: false, evidence: 'run' },
    note: 'It passes few variables on: name those that a server needs in env, options of ours in args.',
    afterWrap: 'start Codex again',
  },
  {
    id: 'gemini',
    name: 'Gemini CLI',
    files: [
      inProject('.gemini/settings.json', commentedMcpServers),
      ofUser('home', '.gemini/settings.json', commentedMcpServers),
    ],
    signs: [{ root: 'home', path: '.gemini' }],
    startsIn: 'project',
    variables: ['$V', '${V}'],
    listChanged: { heeds: true, evidence: 'run' },
    note: 'A project has to be trusted before its servers are started.',
    afterWrap: 'run /mcp refresh, or start Gemini CLI again',
  },
  {
    id: 'qwen',
    name: 'Qwen Code',
    clientInfoName: 'qwen-cli-mcp-client-…',
    files: [
      inProject('.qwen/settings.json', commentedMcpServers),
      rootFile,
      ofUser('home', '.qwen/settings.json', commentedMcpServers),
    ],
    signs: [{ root: 'home', path: '.qwen' }],
    startsIn: 'project',
    variables: ['$V'],
    listChanged: { heeds: false, evidence: 'source' },
    note: 'New tools are reached by call_server_tool until it is started again.',
    afterWrap: 'start Qwen Code again, and approve the server once more if it is one of a project',
  },
  {
    id: 'opencode',
    name: 'opencode',
    files: [
      ...opencodeFiles,
      inProject('.opencode/opencode.json', opencodeServers),
      inProject('.opencode/opencode.jsonc', opencodeServers),
      ofUser('config', 'opencode/opencode.json', opencodeServers),
      ofUser('config', 'opencode/opencode.jsonc', opencodeServers),
      ofUser('config', 'opencode/config.json', opencodeServers),
    ],
    signs: [{ root: 'config', path: 'opencode' }],
    startsIn: 'project',
    variables: ['{env:V}'],
    listChanged: { heeds: true, evidence: 'run' },
    note: 'It waits 30 s for a server to start.',
    afterWrap: 'start opencode again',
  },
  {
    id: 'kilo',
    name: 'Kilo',
    files: [
      ...['', '.kilo/', '.kilocode/'].flatMap((directory) => [
        inProject(`${directory}kilo.json`, opencodeServers),
        inProject(`${directory}kilo.jsonc`, opencodeServers),
      ]),
      ...opencodeFiles,
      ofUser('config', 'kilo/kilo.json', opencodeServers),
      ofUser('config', 'kilo/kilo.jsonc', opencodeServers),
    ],
    signs: [{ root: 'config', path: 'kilo' }],
    startsIn: 'project',
    variables: ['{env:V}'],
    listChanged: { heeds: true, evidence: 'run' },
    note: 'It reads opencode.json of a project too, and may lay out its own file anew when it starts.',
    afterWrap: 'start Kilo again',
  },
  {
    id: 'copilot',
    name: 'Copilot CLI',
    files: [
      rootFile,
      inProject('.github/mcp.json', mcpServers),
      ofUser('home', '.copilot/mcp-config.json', mcpServers),
    ],
    signs: [{ root: 'home', path: '.copilot' }],
    startsIn: 'project',
    variables: ['${V}'],
    listChanged: { heeds: true, evidence: 'run', note: 'in the next turn' },
    note: 'It shows new tools in the next turn, not in the one that the edit was made in.',
    afterWrap: 'start Copilot CLI again',
  },
  {
    id: 'cline',
    name: 'Cline',
    clientInfoName: '@cline/core',
    files: [
      ofUser('home', '.cline/data/settings/cline_mcp_settings.json', mcpServers),
      ...editors.map((editor) =>
        ofUser('applications', `${editor}/User/${clineFile}`, mcpServers, { startsIn: 'elsewhere' }),
      ),
    ],
    signs: [
      { root: 'home', path: '.cline' },
      ...editors.map((editor) => ({
        root: 'applications' as const,
        path: `${editor}/User/globalStorage/saoudrizwan.claude-dev`,
      })),
    ],
    startsIn: 'project',
    variables: [],
    listChanged: { heeds: false, evidence: 'run' },
    note: 'It gives a server 2.5 s to start: add "timeout": 60 to the entry of one that takes longer.',
    afterWrap: 'restart the server in the list of MCP servers, or start Cline again',
  },
  {
    id: 'continue',
    name: 'Continue',
    clientInfoName: 'continue-cli-client',
    files: [
      inProject('.continue/mcpServers/*.yaml', continueServers),
      ofUser('home', '.continue/config.yaml', continueServers, { directoryVariable: 'CONTINUE_GLOBAL_DIR' }),
    ],
    signs: [{ root: 'home', path: '.continue' }],
    startsIn: 'project',
    variables: [],
    listChanged: { heeds: false, evidence: 'run' },
    note: 'Its command line reads your own config.yaml only; files of a project are for its extension.',
    afterWrap: 'start Continue again',
  },
  {
    id: 'goose',
    name: 'Goose',
    files: [
      ofUser('config', 'goose/config.yaml', gooseServers, { platforms: ['linux', 'darwin'] }),
      ofUser('applications', 'Block/goose/config/config.yaml', gooseServers, { platforms: ['win32'] }),
    ],
    signs: [
      { root: 'config', path: 'goose', platforms: ['linux', 'darwin'] },
      { root: 'applications', path: 'Block/goose', platforms: ['win32'] },
    ],
    startsIn: 'elsewhere',
    variables: [],
    listChanged: { heeds: true, evidence: 'source' },
    note: 'It calls servers extensions, and has one file for all projects.',
    afterWrap: 'start a new Goose session',
  },
  {
    id: 'kiro',
    name: 'Kiro',
    files: [inProject('.kiro/settings/mcp.json', mcpServers), ofUser('home', '.kiro/settings/mcp.json', mcpServers)],
    signs: [{ root: 'home', path: '.kiro' }],
    startsIn: 'elsewhere',
    variables: ['${V}'],
    listChanged: { heeds: undefined },
    note: 'It connects again by itself when its file is saved.',
    afterWrap: 'nothing: Kiro connects again by itself',
  },
  {
    id: 'junie',
    name: 'Junie',
    files: [inProject('.junie/mcp/mcp.json', mcpServers), ofUser('home', '.junie/mcp/mcp.json', mcpServers)],
    signs: [{ root: 'home', path: '.junie' }],
    startsIn: 'elsewhere',
    variables: [],
    listChanged: { heeds: undefined },
    note: 'Its file is known by hearsay only.',
    afterWrap: 'restart the server in the settings of Junie',
  },
  {
    id: 'lmstudio',
    name: 'LM Studio',
    files: [ofUser('home', '.lmstudio/mcp.json', mcpServers)],
    signs: [{ root: 'home', path: '.lmstudio' }],
    startsIn: 'elsewhere',
    variables: [],
    listChanged: { heeds: undefined },
    note: 'It has one file for all projects.',
    afterWrap: 'switch the server off and on in LM Studio',
  },
  {
    id: 'warp',
    name: 'Warp',
    files: [ofUser('home', '.warp/.mcp.json', mcpServers)],
    signs: [{ root: 'home', path: '.warp' }],
    startsIn: 'elsewhere',
    variables: [],
    listChanged: { heeds: undefined },
    note: 'It has one file for all projects.',
    afterWrap: 'start the server again in Settings > MCP servers',
  },
];
