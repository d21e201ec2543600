// What action.yml runs: `mcp-hotline smoke` with the inputs of a GitHub Action, which come as variables (SMOKE_…).
// Prints the report, writes it as JUnit, as the summary of the job and as outputs, and ends with smoke's exit code.
// Building is left to prepare.mjs, and checking to smoke.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { splitCommand } from '../dist/process/split-command.js';
import { createReporter } from '../dist/smoke/reporters.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const workspace = process.env.GITHUB_WORKSPACE ?? process.cwd();

process.exitCode = await main();

async function main() {
  let words;
  let directory;
  try {
    words = wordsOfInputs();
    directory = workingDirectory();
  } catch (error) {
    return wrong(error.message);
  }
  const { code, stdout, stderr } = await smoke(words, directory);
  const report = parsed(stdout);
  if (report === undefined) return wrong(stderr.trim() || `mcp-hotline ended with code ${code}`, code);

  const text = rendered('text', report);
  quoted(text);
  summarize(text);
  const failed = report.checks.filter(({ status }) => status === 'failed');
  for (const { group, name, problems } of failed) annotate(`${group}: ${name}`, problems.join('\n'));
  const junit = input('JUNIT');
  const outputs = { 'exit-code': code, checks: report.checks.length, failed: failed.length };
  if (junit === '') return finish(code, outputs);
  const file = resolve(workspace, junit);
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, rendered('junit', report));
  } catch (error) {
    finish(code || 1, outputs);
    return wrong(`the JUnit report can't be written: ${error.message}`, code || 1);
  }
  return finish(code, { ...outputs, junit: file });
}

function input(name) {
  return process.env[`SMOKE_${name}`] ?? '';
}

/** The command line of smoke. */
function wordsOfInputs() {
  const calls = linesOf('CALL').filter((line) => line.trim() !== '');
  const expected = linesOf('EXPECT');
  if (expected.length > calls.length) throw new Error('expect: it has more lines than call has calls');
  const switches = ['reload', 'http'].filter((name) => isOn(name));
  const timeout = input('TIMEOUT').trim();
  const command = split('COMMAND');
  const options = split('OPTIONS');
  if (options.includes('--')) throw new Error('options: they contain --, expected the command in the input "command"');
  return [
    'smoke',
    ...options,
    ...calls.flatMap((call, at) => [
      `--call=${call}`,
      ...((expected[at] ?? '') === '' ? [] : [`--expect=${expected[at]}`]),
    ]),
    ...switches.map((name) => `--${name}`),
    ...(timeout === '' ? [] : [`--timeout=${timeout}`]),
    '--reporter=json',
    ...(command.length === 0 ? [] : ['--', ...command]),
  ];
}

function isOn(name) {
  const value = input(name.toUpperCase()).trim();
  if (!['', 'true', 'false'].includes(value))
    throw new Error(`${name}: ${value} is not allowed, expected true or false`);
  return value === 'true';
}

function linesOf(name) {
  const text = input(name).replaceAll('\r\n', '\n').replace(/\n+$/, '');
  return text === '' ? [] : text.split('\n');
}

function split(name) {
  const result = splitCommand(input(name));
  if (!result.ok) throw new Error(`${name.toLowerCase()}: ${result.error}`);
  return result.words;
}

function workingDirectory() {
  const directory = resolve(workspace, input('WORKING_DIRECTORY'));
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new Error(`working-directory: ${directory} is no directory`);
  return directory;
}

function smoke(words, cwd) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SMOKE_')));
  const child = spawn(process.execPath, [join(root, 'bin/mcp-hotline.js'), ...words], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // A job that is cancelled signals this process alone.
  for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => child.kill(name));
  const said = { stdout: '', stderr: '' };
  for (const name of Object.keys(said)) child[name].setEncoding('utf8').on('data', (text) => (said[name] += text));
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('close', (code) => done({ code: code ?? 1, ...said }));
  });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function rendered(name, report) {
  const reporter = createReporter(name);
  return [reporter.begin(report.command), ...report.checks.map(reporter.check), reporter.end(report)].join('');
}

/**
 * GitHub takes lines that begin with :: for commands, also those that a server has printed: it is told to let them
 * pass.
 */
function quoted(text) {
  const token = randomUUID();
  console.log(`::stop-commands::${token}\n${text}\n::${token}::`);
}

function annotate(title, message) {
  const escaped = (value) => value.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const property = escaped(`mcp-hotline smoke, ${title}`).replaceAll(':', '%3A').replaceAll(',', '%2C');
  console.log(`::error title=${property}::${escaped(message)}`);
}

/** As a block that is indented: no character in it means anything. */
function summarize(text) {
  append('GITHUB_STEP_SUMMARY', `### mcp-hotline smoke\n\n${text.trimEnd().replace(/^/gm, '    ')}\n`);
}

function finish(code, outputs) {
  const end = randomUUID();
  const lines = Object.entries(outputs).map(([name, value]) => `${name}<<${end}\n${value}\n${end}\n`);
  append('GITHUB_OUTPUT', lines.join(''));
  return code;
}

function append(variable, text) {
  const file = process.env[variable] ?? '';
  if (file !== '') appendFileSync(file, text);
}

function wrong(message, code = 1) {
  annotate('wrong usage', message);
  return finish(code || 1, { 'exit-code': code || 1 });
}
