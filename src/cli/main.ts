// The process: reads argv, performs the command, and exits. commands.ts lists the commands.

import { noCommand, type CommandLineOptions } from '../config/config.js';
import { flush } from '../sinks/flush.js';
import { reportBug } from './bug.js';
import { usageOf, type Command } from './command.js';
import { readCommandLine } from './command-line.js';
import { commands } from './commands.js';
import { currentDirectory } from './current-directory.js';
import { BUILD_HELPER } from './helper-command.js';

void main(process.argv.slice(2))
  .catch(reportBug)
  .then(async (code) => {
    await flush(process.stderr, 500);
    process.exit(code);
  });

async function main(argv: readonly string[]): Promise<number> {
  if (argv[0] === BUILD_HELPER) return buildHelper(argv.length);
  const read = readCommandLine(argv, commands);
  if (!read.ok) return complain(read.error);
  const { command, misspelt, ...asked } = read.value;
  if (misspelt !== undefined && !(await isProgram(asked.given))) {
    const word = JSON.stringify(asked.given.command);
    return complain(`${word} is neither a command of mcp-hotline nor a program on the PATH; did you mean ${misspelt}?`);
  }
  const outcome = await command.perform({ ...asked, commands, print });
  if (outcome.ok) return outcome.value;
  complain(outcome.error === noCommand ? missingServer(command) : outcome.error);
  if ('notice' in outcome) process.stderr.write(outcome.notice ?? '');
  return 1;
}

async function buildHelper(words: number): Promise<number> {
  const { runBuildHelper } = await import('../build-helper.js');
  if (words === 1 && (await runBuildHelper())) return 0;
  return complain(`${BUILD_HELPER} is started by mcp-hotline itself, to finish a build, and does nothing by hand`);
}

async function print(text: string): Promise<void> {
  process.stdout.on('error', () => {}); // `mcp-hotline --help | head -1`
  process.stdout.write(`${text}\n`);
  await flush(process.stdout, 2000);
}

function missingServer(command: Command): string {
  const help = `mcp-hotline ${command.name === 'run' ? '' : `${command.name} `}--help`;
  return `no server command, expected ${usageOf(command)}; ${help} shows how it is used`;
}

/** A misspelt command may be meant as a program of that name. */
async function isProgram(given: CommandLineOptions): Promise<boolean> {
  const { isOnPath } = await import('../build/find-command.js');
  const cwd = currentDirectory(given);
  return !cwd.ok || isOnPath(given.command ?? '', cwd.value, process.env);
}

function complain(error: string): number {
  for (const line of error.split('\n')) process.stderr.write(`mcp-hotline: ${line}\n`);
  return 1;
}
