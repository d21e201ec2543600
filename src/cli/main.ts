// The process: reads argv, prints what is asked for, and exits. The only place that does any of it; what a command does is
// in the file of its name, loaded only when it is asked for.

import { readFileSync } from 'node:fs';
import { isatty } from 'node:tty';
import { noCommand } from '../config/config.js';
import { flush } from '../log/flush.js';
import { reportBug } from './bug.js';
import { readCommandLine } from './command-line.js';
import { BUILD_HELPER } from './helper-command.js';
import { run } from './run.js';

void main(process.argv.slice(2))
  .catch(reportBug)
  .then(async (code) => {
    await flush(process.stderr, 500);
    process.exit(code);
  });

async function main(argv: readonly string[]): Promise<number> {
  if (argv[0] === BUILD_HELPER) return buildHelper(argv.length);
  const line = readCommandLine(argv);
  switch (line.ask) {
    case 'help': {
      const { helpText } = await import('./help.js');
      return print(await helpText(Math.min(process.stdout.columns ?? 100, 120), line.of));
    }
    case 'version':
      return print(version());
    case 'nothing':
      return complain(line.error);
    case 'completion': {
      const { completionScript } = await import('./completion.js');
      return print(completionScript(line.shell, process.env));
    }
    case 'explain':
    case 'status': {
      const command =
        line.ask === 'explain' ? (await import('./explain.js')).explain : (await import('./status.js')).status;
      const outcome = await command(line.given);
      if (!outcome.ok) return complain(outcome.error, line.ask);
      await print(outcome.value.text);
      return outcome.value.code;
    }
    case 'log': {
      const { log } = await import('./log.js');
      const over = new AbortController();
      process.stdout.on('error', () => over.abort()); // nobody reads any more
      const outcome = await log(line.given, (text) => void process.stdout.write(text), over.signal);
      await flush(process.stdout, 2000);
      return outcome.ok ? outcome.value : complain(outcome.error);
    }
    case 'smoke': {
      const { smoke } = await import('./smoke.js');
      const outcome = await smoke(line.given, line.words);
      return outcome.ok ? outcome.value : complain(outcome.error, line.ask);
    }
    default: {
      const outcome = await run(line.given);
      if (outcome.ok) return outcome.value;
      complain(outcome.error);
      if (outcome.error === noCommand && isatty(0)) {
        const { usageNotice } = await import('./terminal.js');
        process.stderr.write(usageNotice());
      }
      return 1;
    }
  }
}

async function buildHelper(words: number): Promise<number> {
  const { runBuildHelper } = await import('../build-helper.js');
  if (words === 1 && (await runBuildHelper())) return 0;
  return complain(`${BUILD_HELPER} is started by mcp-hotline itself, to finish a build, and does nothing by hand`);
}

async function print(text: string): Promise<number> {
  process.stdout.on('error', () => {}); // `mcp-hotline --help | head -1`
  process.stdout.write(`${text}\n`);
  await flush(process.stdout, 2000);
  return 0;
}

/** `command`: the one that was asked for, where it is not the usual one. */
function complain(error: string, command?: string): number {
  const usual = command === undefined || error !== noCommand;
  const text = usual ? error : error.replace('mcp-hotline ', `mcp-hotline ${command} `);
  for (const line of text.split('\n')) process.stderr.write(`mcp-hotline: ${line}\n`);
  return 1;
}

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return (manifest as { version: string }).version;
}
