// The panel that `mcp-hotline serve` shows on a terminal once it listens: where, what is watched, and the lines that
// add it to clients. Pure: the facts are collected, and the text is written, by start-proxy.ts.

import { shellLine } from './shell-line.js';
import { quoted } from './completion/words.js';

/** Who knows the token: it is shown here for the only time, is in a file, or the user has chosen it. */
export type ShownToken =
  | { readonly kind: 'new'; readonly token: string; readonly file: string }
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'chosen' };

export interface PanelFacts {
  /** Of the endpoint, as a client on this machine reaches it. */
  readonly url: string;
  /** The same, as other machines reach it. */
  readonly networkUrls: readonly string[];
  /** What clients shall call the server. */
  readonly name: string;
  /** The files and directories that are watched, as rules name them. None: nothing is. */
  readonly watched: readonly string[];
  readonly token: ShownToken | undefined;
  readonly colour: boolean;
  readonly platform: NodeJS.Platform;
}

/** How many of the watched paths are named. */
const NAMED = 4;
const PLACEHOLDER = '<token>';
const LABEL_WIDTH = 13;

export function servePanel(facts: PanelFacts): string {
  const { url, networkUrls, token, colour } = facts;
  const bold = (text: string): string => (colour ? `\x1b[1m${text}\x1b[22m` : text);
  const cyan = (text: string): string => (colour ? `\x1b[36m${text}\x1b[39m` : text);
  const row = (label: string, text: string): string => `  ${bold(label.padEnd(LABEL_WIDTH))}${text}`;
  const lines = [
    row('Endpoint', cyan(url)),
    ...networkUrls.map((other) => row('', cyan(other))),
    row('Old clients', cyan(url.replace(/\/mcp$/, '/sse'))),
    row('Watching', watchedText(facts.watched)),
    ...(token === undefined ? [] : tokenRows(token).map(([label, text]) => row(label, text))),
    '',
    row('Claude Code', claudeLine(facts)),
    row('VS Code', `${vsCodeEntry(facts)}  in .vscode/mcp.json`),
    row('Inspector', inspectorLine(facts)),
  ];
  return `\n${lines.join('\n')}\n\n`;
}

function watchedText(watched: readonly string[]): string {
  if (watched.length === 0) return 'nothing';
  const named = watched.slice(0, NAMED).join(', ');
  return watched.length > NAMED ? `${named} and ${watched.length - NAMED} more` : named;
}

function tokenRows(token: ShownToken): [label: string, text: string][] {
  switch (token.kind) {
    case 'new':
      return [
        ['Token', token.token],
        ['', `It is shown this once, and kept in ${token.file}`],
      ];
    case 'file':
      return [['Token', `the one in ${token.file}`]];
    case 'chosen':
      return [['Token', 'the one that you have chosen']];
  }
}

function claudeLine(facts: PanelFacts): string {
  const words = ['claude', 'mcp', 'add', '--transport', 'http', facts.name, facts.url];
  return `${shellLine(words, facts.platform)}${headerOption(facts)}`;
}

function inspectorLine(facts: PanelFacts): string {
  const words = ['npx', '@modelcontextprotocol/inspector', '--transport', 'http', '--server-url', facts.url];
  return `${shellLine(words, facts.platform)}${headerOption(facts)}`;
}

/** For a POSIX shell the token can be read from its file, so that it stands nowhere else. */
function headerOption({ token, platform }: PanelFacts): string {
  if (token === undefined) return '';
  const fromFile = token.kind === 'file' && platform !== 'win32' ? `$(cat ${quoted(token.file)})` : PLACEHOLDER;
  return ` --header "Authorization: Bearer ${token.kind === 'new' ? token.token : fromFile}"`;
}

function vsCodeEntry({ name, url, token }: PanelFacts): string {
  const value = token?.kind === 'new' ? token.token : PLACEHOLDER;
  const headers = token === undefined ? {} : { headers: { Authorization: `Bearer ${value}` } };
  return JSON.stringify({ servers: { [name]: { type: 'http', url, ...headers } } });
}
