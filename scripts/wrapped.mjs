// Has an installed package wrap the servers in configurations of a project, starts what it wrote as a client does,
// calls a tool before and after an edit, and unwraps: the files must be byte for byte what they were, and nothing may
// be left behind. check-package.mjs calls it.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse as parseJsonc } from 'jsonc-parser';
import { getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';
import { parse as parseYaml } from 'yaml';
import { converse } from './readme.mjs';

const usual = ({ command, args = [] }) => [command, ...args];

/** One for each format and for each kind of entry; the words that each client reads in it. */
const configurations = {
  '.mcp.json': {
    text: '{\r\n\t"mcpServers": {\r\n\t\t"mine": { "command": "node", "args": ["src/server.js"], "env": { "TOKEN": "t" } }\r\n\t}\r\n}\r\n',
    words: (text) => usual(JSON.parse(text).mcpServers.mine),
  },
  '.vscode/mcp.json': {
    text: '\uFEFF{\n  // of this project\n  "servers": { "mine": { "command": "./src/start.sh", "type": "stdio", }, },\n}\n',
    words: (text) => usual(parseJsonc(text.replace('\uFEFF', '')).servers.mine),
  },
  'opencode.jsonc': {
    text: '{ "mcp": { "mine": { "type": "local", "command": ["node", "src/server.js"] } } } // no line break',
    words: (text) => parseJsonc(text).mcp.mine.command,
  },
  '.codex/config.toml': {
    text: "[mcp_servers.mine]\ncommand = 'node' # literal\nargs = [\n  'src/server.js', # ours\n]\n",
    words: (text) => usual(getStaticTOMLValue(parseTOML(text)).mcp_servers.mine),
  },
  '.continue/mcpServers/mine.yaml': {
    text: 'mcpServers:\n  - name: mine # ours\n    command: node\n    args:\n      - src/server.js\n',
    words: (text) => usual(parseYaml(text).mcpServers[0]),
  },
};

/** `bin`: the package's, in the project's node_modules. */
export async function wrapAndBack(project, bin, env) {
  writeFileSync(join(project, 'src/start.sh'), '#!/bin/sh\nexec node src/server.js\n', { mode: 0o755 });
  const names = Object.keys(configurations).filter((name) => process.platform !== 'win32' || !name.includes('vscode'));
  const files = names.map((name) => ({ ...configurations[name], name, path: join(project, name) }));
  for (const { path, text } of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const before = contents(project);
  // The project has the package among its dependencies, so that paths of this machine have to be asked for.
  const ways = [
    {
      option: '--portable',
      isExpected: ([program, file]) => program === 'node' && file === 'node_modules/mcp-hotline/bin/mcp-hotline.js',
    },
    {
      option: '--no-portable',
      isExpected: ([program, file]) => program === process.execPath && file === realpathSync(bin),
    },
  ];
  for (const { option, isExpected } of ways) {
    edit(['wrap', ...(option === '--portable' ? [] : [option])], bin, project, env, names.length);
    for (const { name, path, words, text } of files) {
      const written = words(readFileSync(path, 'utf8'));
      const own = words(text);
      if (!isExpected(written) || written.slice(-own.length - 1).join('\n') !== ['--', ...own].join('\n'))
        throw new Error(`wrap ${option} writes ${written.join(' ')} into ${name}`);
      const [command, ...args] = written;
      await converse({ command, args }, `${name}: ${written.join(' ')}`, project, env, callBeforeAndAfterEdit(project));
    }
    edit(['unwrap'], bin, project, env, names.length);
    for (const { name, path, text } of files)
      if (readFileSync(path, 'utf8') !== text)
        throw new Error(`${name} is not what it was: ${readFileSync(path, 'utf8')}`);
  }
  const left = contents(project).filter((name) => !before.includes(name));
  const records = contents(env.HOME).filter((name) => name.endsWith('unwrap.json'));
  if (left.length + records.length > 0) throw new Error(`wrap and unwrap leave ${[...left, ...records].join(', ')}`);
}

/** The server adds, and after the edit it subtracts: the call that follows the edit is answered by the new code. */
function callBeforeAndAfterEdit(project) {
  const source = join(project, 'src/server.js');
  const text = readFileSync(source, 'utf8');
  return async (call) => {
    const results = [await call('add', { a: 5, b: 3 })];
    try {
      writeFileSync(source, text.replace('a + b', 'a - b'));
      results.push(await call('add', { a: 5, b: 3 }));
    } finally {
      writeFileSync(source, text);
    }
    if (results.join() !== '8,2') throw new Error(`answers before and after an edit: ${results.join(', ')}`);
  };
}

function edit(words, bin, project, env, count) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...words, '--yes', '--json'], {
    cwd: project,
    env,
    encoding: 'utf8',
  });
  const said = `${words.join(' ')}: exit code ${status}\n${stdout}${stderr}`;
  if (status !== 0) throw new Error(said);
  const done = JSON.parse(stdout).files.flatMap(({ servers }) => servers.filter(({ written }) => written));
  if (done.length !== count) throw new Error(said);
}

function contents(directory) {
  return readdirSync(directory, { recursive: true }).map(String);
}
