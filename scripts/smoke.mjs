// `npm run smoke`: mcp-hotline smoke on every fixture server that is a whole MCP server, on every fixture project, and
// on a published server, a line each. Works on copies of the projects, as far as something is built there. A new
// fixture is taken for a good server unless it is named here with what it is instead.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const servers = join(root, 'fixtures/servers');
const everything = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js';
const scratch = mkdtempSync(join(tmpdir(), 'hotline-smoke-'));
const ATONCE = 2;

const noServers = {
  'bench-http.mjs': 'a part of the benchmark',
  'conformance-content.mjs': 'a part of others',
  'http-rude.mjs': 'behaves badly',
  'http-tools.mjs': 'a part of others',
  'http-v1-tools.mjs': 'a part of others',
  'bench-versions.mjs': 'serves what a project tells it',
  'bench-versions-sdk.mjs': 'serves what a project tells it',
  'flood.mjs': 'opens no session',
  'lines.mjs': 'a part of the others',
  'reloadable.mjs': 'serves what a project tells it',
  'scripted.mjs': 'serves what a project tells it',
  'stubborn.mjs': 'does not end when it should',
};
/** These speak HTTP themselves. */
const http = (path) => ['--upstream', `http://127.0.0.1:{port}${path}`];
const add = ['--call', 'add={"a":1,"b":2}', '--expect', '3'];
const calls = {
  'http-python.py': http('/mcp'),
  'http-v1.mjs': http('/mcp'),
  'http-v1-sse.mjs': http('/sse'),
  'http-v2.mjs': http('/mcp'),
  'bench-echo.mjs': ['--call', 'echo={"text":"hello"}', '--expect', 'hello'],
  'python-stdlib.py': add,
  'sdk-v1.mjs': add,
  'sdk-v2.mjs': add,
  'tools.mjs': [...add, '--call', 'steps={"count":3}', '--expect', '3 steps'],
};

/** With no options: what to watch and to build has to be found, or to be in the configuration file. */
const projects = {
  demo: { options: ['--call', 'greet={"name":"Ada"}', '--expect', 'Hello, Ada!'], command: ['node', 'src/modern.mjs'] },
  javascript: { options: ['--call', 'greet', '--expect', 'Hello'], command: ['node', 'server.js'] },
  python: { options: ['--call', 'greet', '--expect', 'Hello'], command: ['python3', '-m', 'greeter'] },
  typescript: { options: ['--call', 'greet', '--expect', 'Hello'], command: ['node', 'dist/server.js'] },
  readme: { options: add, command: ['node', 'dist/server.js'] },
  workspace: {
    options: ['--call', 'greet', '--expect', 'Hello'],
    command: ['node', 'packages/server/dist/server.mjs'],
  },
  'yaml-config': { options: [], command: [] },
};

const runs = [
  ...readdirSync(servers)
    .filter((file) => /\.(mjs|py)$/.test(file) && !file.startsWith('smoke-') && !(file in noServers))
    .map((file) => ({
      title: file,
      options: ['--watch', join(servers, file), ...(calls[file] ?? [])],
      command: [file.endsWith('.py') ? 'python3' : process.execPath, join(servers, file)],
    })),
  ...readdirSync(join(root, 'fixtures/projects')).map((name) => ({
    title: `the project ${name}`,
    cwd: copyOf(name),
    ...projects[name],
  })),
  {
    title: '@modelcontextprotocol/server-everything',
    options: ['--watch', join(root, everything), '--call', 'get-sum={"a":1,"b":2}', '--expect', '3'],
    command: [process.execPath, join(root, everything), 'stdio'],
  },
];
const unknown = runs.filter(({ command }) => command === undefined).map(({ title }) => title);
if (unknown.length > 0) throw new Error(`scripts/smoke.mjs has to be told how to run ${unknown.join(', ')}`);
const forgotten = Object.keys({ ...noServers, ...calls }).filter((file) => !existsSync(join(servers, file)));
if (forgotten.length > 0) throw new Error(`scripts/smoke.mjs names fixtures that are gone: ${forgotten.join(', ')}`);

let failed = 0;
const waiting = [...runs];
await Promise.all(Array.from({ length: ATONCE }, work));
rmSync(scratch, { recursive: true, force: true });
console.log(`${runs.length} servers, ${failed === 0 ? 'all good' : `${failed} failed`}`);
process.exitCode = failed === 0 ? 0 : 1;

async function work() {
  for (let run = waiting.shift(); run !== undefined; run = waiting.shift()) {
    if (run.command[0] === 'python3' && spawnSync('python3', ['--version']).error !== undefined) {
      console.log(`skipped ${run.title}: python3 is not installed`);
      continue;
    }
    const begin = performance.now();
    const { code, output } = await smoke(run);
    const ms = Math.round(performance.now() - begin);
    console.log(`${code === 0 ? 'ok    ' : 'failed'}  ${run.title} (${ms} ms)`);
    if (code === 0) continue;
    failed += 1;
    console.log(output);
  }
}

/** With what an installation would have put into it: the packages that are installed here, and its own. */
function copyOf(project) {
  const directory = join(scratch, 'projects', project);
  const modules = join(directory, 'node_modules');
  cpSync(join(root, 'fixtures/projects', project), directory, { recursive: true });
  mkdirSync(modules);
  for (const name of readdirSync(join(root, 'node_modules'))) {
    symlinkSync(join(root, 'node_modules', name), join(modules, name), 'junction');
  }
  const packages = join(directory, 'packages');
  for (const name of existsSync(packages) ? readdirSync(packages) : []) {
    mkdirSync(join(modules, `@${project}`), { recursive: true });
    symlinkSync(join(packages, name), join(modules, `@${project}`, name), 'junction');
  }
  return directory;
}

/** Each run has a state directory of its own: none knows of the others. */
function smoke({ title, options, command, cwd = scratch }) {
  const env = { ...process.env, XDG_STATE_HOME: join(scratch, title.replace(/\W/g, '-')) };
  // Where it is set, Node 20 spends 60 ms more on every start.
  delete env.NODE_EXTRA_CA_CERTS;
  const words = ['smoke', '--reload', ...options, ...(command.length === 0 ? [] : ['--', ...command])];
  const child = spawn(process.execPath, [join(root, 'bin/mcp-hotline.js'), ...words], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}
