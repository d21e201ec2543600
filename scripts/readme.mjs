// Runs what README tells people to type or to paste, taken out of README.md itself, in a project that has what those
// lines speak of. By itself it does so with the build of this clone; check-package.mjs calls it with real
// installations, and runs the lines of "Install".
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const text = readFileSync(join(root, 'README.md'), 'utf8');
const PATIENCE_MS = 120_000;
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'reader', version: '1' } },
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await withThisClone();

/** The lines of "Install": those for the clone, and those for elsewhere. */
export function installLines() {
  const [inClone, elsewhere] = blocks('## Install', '').map(linesOf);
  if (inClone === undefined || elsewhere === undefined) throw new Error('README does not say how to install it');
  return { inClone, elsewhere };
}

/** A project in which README's lines make sense; nothing is installed in it. */
export function readmeProject(directory) {
  cpSync(join(root, 'fixtures/projects/readme'), directory, { recursive: true });
  const python = join(root, 'fixtures/servers/python-stdlib.py');
  mkdirSync(join(directory, 'my_server'));
  for (const file of ['server.py', 'my_server/__main__.py']) cpSync(python, join(directory, file));
}

/** What is typed and run with the command `mcp-hotline` in PATH, and the program that imports the package. */
export async function runLines(directory, env) {
  const lines = ['## Use', '## In CI'].flatMap((heading) => blocks(heading, '').flatMap(linesOf));
  if (lines.length < 5) throw new Error('README does not say how to use it');
  const hasPython = spawnSync('python3', ['--version']).error === undefined;
  for (const line of lines) if (hasPython || !line.includes('python3')) await runLine(line, directory, env);
  const [program] = blocks('## From a program', 'js');
  writeFileSync(join(directory, 'proxy.mjs'), program);
  await converse({ command: process.execPath, args: ['proxy.mjs'] }, 'the program', directory, env);
}

/** What is written into a client's configuration: by hand, and by `wrap`, which `unwrap` undoes. */
export async function runConfigured(directory, env) {
  const heading = "## From a client's configuration, in one command";
  const byHand = blocks(heading, 'json').flatMap((block) => serversIn(JSON.parse(block)));
  const lines = blocks(heading, '').flatMap(linesOf);
  if (byHand.length === 0 || lines.length < 3) throw new Error('README does not say how to configure a client');
  const installed = join(directory, 'node_modules/mcp-hotline');
  const placed = (word) => word.replace('/path/to/mcp-hotline', installed).replace('/path/to/project', directory);
  for (const { command, args } of byHand)
    await converse({ command, args: args.map(placed) }, [command, ...args].join(' '), directory, env);

  const file = join(directory, '.mcp.json');
  const before = '{ "mcpServers": { "mine": { "command": "node", "args": ["src/server.js"] } } }\n';
  writeFileSync(file, before);
  for (const line of lines) {
    const isEdit = /^mcp-hotline (un)?wrap$/.test(line);
    await runLine(isEdit ? `${line} --yes` : line, directory, env);
    const isWrapped = readFileSync(file, 'utf8') !== before;
    if (isEdit && isWrapped !== line.endsWith(' wrap')) throw new Error(`${line} does not do what README says`);
    for (const server of isWrapped ? serversIn(JSON.parse(readFileSync(file, 'utf8'))) : [])
      await converse(server, `what ${line} wrote`, directory, env);
  }
}

async function withThisClone() {
  const scratch = mkdtempSync(join(tmpdir(), 'hotline-readme-'));
  try {
    const directory = join(scratch, 'project');
    readmeProject(directory);
    mkdirSync(join(directory, 'node_modules/.bin'), { recursive: true });
    symlinkSync(root, join(directory, 'node_modules/mcp-hotline'), 'junction');
    symlinkSync(join(root, 'bin/mcp-hotline.js'), join(directory, 'node_modules/.bin/mcp-hotline'));
    const PATH = [join(directory, 'node_modules/.bin'), process.env.PATH].join(delimiter);
    const env = { ...process.env, PATH, HOME: scratch, XDG_STATE_HOME: join(scratch, 'state') };
    await runLines(directory, env);
    await runConfigured(directory, env);
  } catch (error) {
    console.error(`readme: ${error.message}`);
    process.exitCode = 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function runLine(line, directory, env) {
  const isOwnCommand = /^mcp-hotline (explain|smoke|wrap|unwrap|clients)\b/.test(line);
  if (!isOwnCommand) return converse({ command: line, args: [], shell: true }, line, directory, env);
  const { code, output } = await ended(start({ command: line, args: [], shell: true }, directory, env, 'ignore'));
  if (code !== 0) throw new Error(`${line}: exit code ${code}\n${output}`);
}

/**
 * Opens a session as a client would, has `use` call tools in it (each call gives the text of its result), and leaves.
 */
export async function converse(command, what, directory, env, use = async () => {}) {
  const child = start(command, directory, env, 'pipe');
  const end = ended(child);
  child.stdin.on('error', () => {});
  const lines = createInterface(child.stdout);
  const ask = async (message) => {
    const answered = new Promise((resolve) => {
      lines.on('line', (line) => JSON.parse(line).id === message.id && resolve(line));
    });
    child.stdin.write(`${JSON.stringify(message)}\n`);
    return Promise.race([answered, end.then(() => '')]);
  };
  let id = initialize.id;
  const call = async (name, args) => {
    id += 1;
    const line = await ask({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } });
    return line === '' ? line : (JSON.parse(line).result?.content?.[0]?.text ?? line);
  };
  const answer = await ask(initialize);
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  let problem = '';
  try {
    await use(call);
  } catch (error) {
    problem = error.message;
  }
  child.stdin.end();
  const { code, output } = await end;
  if (code !== 0 || !answer.includes('"serverInfo"') || problem !== '')
    throw new Error(`${what}: ${problem || answer}, exit code ${code}\n${output}`);
}

function start({ command, args, shell = process.platform === 'win32' }, cwd, env, stdin) {
  return spawn(command, args, { cwd, env, shell, stdio: [stdin, 'pipe', 'pipe'], timeout: PATIENCE_MS });
}

function ended(child) {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (output += part));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

/** The fenced blocks under a heading, up to the next of its rank or above. */
function blocks(heading, language) {
  const [rank] = heading.split(' ');
  const section = text.split(`\n${heading}\n`)[1]?.split(new RegExp(`\n#{1,${rank.length}} `))[0] ?? '';
  const pattern = /^```(\w*)\n(.*?)^```$/gms;
  return [...section.matchAll(pattern)].filter((found) => found[1] === language).map((found) => found[2]);
}

function linesOf(block) {
  return block
    .split('\n')
    .map((line) => line.replace(/\s+# .*$/, '').trim())
    .filter((line) => line !== '');
}

/** Every object that names a command, however deep. */
function serversIn(value) {
  if (typeof value !== 'object' || value === null) return [];
  return typeof value.command === 'string' ? [value] : Object.values(value).flatMap(serversIn);
}
