// The process: reads argv, performs the command that is asked for, and exits. Which commands there are is in commands.ts.

import { noCommand } from '../config/config.js';
import { flush } from '../log/flush.js';
import { reportBug } from './bug.js';
import { usageOf, type Command } from './command.js';
import { readCommandLine } from './command-line.js';
import { commands } from './commands.js';
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
  const { command, ...asked } = read.value;
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
  return `no server command, expected ${usageOf(command)}`;
}

function complain(error: string): number {
  for (const line of error.split('\n')) process.stderr.write(`mcp-hotline: ${line}\n`);
  return 1;
}
