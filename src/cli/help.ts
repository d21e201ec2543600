// The text of --help, made by yargs out of the table of options. Printing it is main.ts's.

import yargs, { type Argv } from 'yargs';
import { groups, type OptionSpec } from '../config/option-spec.js';
import { options } from '../config/options.js';
import { smokeOptions } from '../smoke/options.js';
import { commands, type Command } from './commands.js';
import { explainOptions } from './explain-options.js';
import { logOptions, statusOptions } from './report-options.js';

type Page = Argv;

export async function helpText(width: number, of: Command['name'] = 'run'): Promise<string> {
  return pages[of](width).getHelp();
}

const pages: Record<Command['name'], (width: number) => Page> = {
  run: runPage,
  explain: explainPage,
  status: statusPage,
  log: logPage,
  smoke: smokePage,
  completion: completionPage,
};

function runPage(width: number): Page {
  const what = 'Runs an MCP server and reloads it when its source changes, without the client noticing.';
  const page = emptyPage(width).usage(`$0 [run] [options] -- <command> [args…]\n\n${what}`);
  for (const { name, summary } of commands) page.command(name, summary);
  addOptions(page, options);
  return page
    .option('version', { group: 'General', describe: 'Show the version' })
    .example('$0 -- node dist/server.js', 'Find from the command what to watch and to build')
    .example('$0 --watch src -- node src/server.js', 'Reload when a file in src changes')
    .example('$0 -w src --build -- node dist/server.js', 'Run the build script first')
    .example('$0 -w server -e py -- python server/main.py', 'Watch the Python files only')
    .example('$0 --no-reload -- npx some-server', 'Pass everything through, reload nothing')
    .epilogue(
      'Every option can be set in the environment too, as MCP_HOTLINE_<OPTION>, for instance MCP_HOTLINE_LOG_LEVEL=debug, and in a configuration file, mcp-hotline.config.jsonc, in camel case: { "logLevel": "debug" }.',
    );
}

function explainPage(width: number): Page {
  const what =
    'Prints what mcp-hotline would do with the server, without starting it: what was found from its command, the rules with the files that they watch, builds, strategy, and where each value comes from. Exits with 0, or 1 if there is nothing to watch.';
  const page = emptyPage(width).usage(`$0 explain [options] -- <command> [args…]\n\n${what}`);
  addOptions(page, explainOptions.own);
  return page
    .example('$0 explain -- npm start', 'What is found for the script')
    .example('$0 explain --json -- python server.py', 'The same as data')
    .epilogue('All options of mcp-hotline itself are taken and explained.');
}

function statusPage(width: number): Page {
  const what =
    'Prints, for each server command that was run in this directory, the proxies that run now: which generation serves, the last reload with the duration of each phase, the last failure. Exits with 0 if a proxy runs, else 1.';
  const page = emptyPage(width).usage(`$0 status [--json]\n\n${what}`);
  addOptions(page, statusOptions);
  return page.example('$0 status', 'What runs here').example('$0 status --json', 'The same as data');
}

function logPage(width: number): Page {
  const what =
    'Prints the audit trail of the servers that were run in this directory: starts, changes, builds, reloads, requested restarts, crashes and failures, oldest first.';
  const page = emptyPage(width).usage(`$0 log [-f] [--json]\n\n${what}`);
  addOptions(page, logOptions);
  return page.example('$0 log -f', 'And go on as things happen').example('$0 log --json | jq .event', 'As data');
}

function smokePage(width: number): Page {
  const what =
    "Starts the server through the proxy, opens it in each era of the protocol that it speaks, fetches every list, checks every schema, and sees it end. Exits with 0 if all is well, 1 if a check failed, 2 if the server can't be started.";
  const page = emptyPage(width).usage(`$0 smoke [options] -- <command> [args…]\n\n${what}`);
  addOptions(page, smokeOptions.own);
  return page
    .example('$0 smoke -- node server.js', 'Handshake, lists, schemas, exit')
    .example(`$0 smoke --call 'add={"a":1,"b":2}' --expect 3 -- node server.js`, 'A tool, too')
    .example('$0 smoke --reload --reporter junit -- node server.js > report.xml', 'Over a reload, for CI')
    .epilogue('The options of mcp-hotline itself, such as --watch, --build, --strategy or --cwd, go to the proxy.');
}

function completionPage(width: number): Page {
  const page = emptyPage(width);
  addOptions(page, []);
  return page
    .usage(
      '$0 completion [bash|zsh|fish]\n\nPrints a script that completes commands, options and their values; for the shell in $SHELL if none is named.',
    )
    .example('source <($0 completion bash)', 'In ~/.bashrc')
    .example('source <($0 completion zsh)', 'In ~/.zshrc, after compinit')
    .example('$0 completion fish | source', 'In ~/.config/fish/config.fish');
}

function emptyPage(width: number): Page {
  return yargs([], '/')
    .scriptName('mcp-hotline')
    .locale('en')
    .help(false)
    .version(false)
    .exitProcess(false)
    .wrap(width);
}

function addOptions(page: Page, rows: readonly OptionSpec[]): void {
  for (const group of groups) {
    for (const spec of rows.filter((option) => option.group === group)) {
      const { name, alias, negated } = spec;
      const usual = spec.type === 'switch' && spec.default; // nobody needs to ask for what is on
      if (!usual) page.option(shown(spec), { ...(alias ? { alias } : {}), group, describe: description(spec) });
      if (negated !== undefined) page.option(`no-${name}`, { group, describe: negated });
    }
  }
  page.option('help', { alias: 'h', group: 'General', describe: 'Show this' });
}

/** The option as it is typed, with what stands for its value. */
function shown(spec: OptionSpec): string {
  if (spec.type === 'switch') return spec.name;
  const value = spec.type === 'choice' ? `<${spec.choices.join('|')}>` : (spec.placeholder ?? '<text>');
  return `${spec.name} ${value}`;
}

function description(spec: OptionSpec): string {
  const usual = spec.type === 'switch' ? undefined : 'default' in spec ? String(spec.default) : spec.otherwise;
  return usual === undefined ? spec.description : `${spec.description} (default: ${usual})`;
}
