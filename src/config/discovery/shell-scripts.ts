// A shell script that starts a server: its last command is followed if it is a plain one, and the commands before it
// are recorded. Only what such scripts have in common is understood: their own directory, variables with a path,
// `exec`, `"$@"`.

import { dirname } from 'node:path';
import { isFile, readText, shown } from './disk.js';
import type { Invocation, Search, ResolveStep, Target } from './discovery.js';
import { rowOf } from './shell-text.js';

/** A script that starts a server is short. */
const SHORT = 16 * 1024;
const ownDirectory =
  /\$\(\s*(?:cd\s+(?:--\s+)?)?"?\$?\(?\s*dirname\s+(?:--\s+)?"?\$\{?(?:0|BASH_SOURCE(?:\[0\])?)\}?"?\s*\)?"?(?:\s*(?:&&|;)\s*pwd(?:\s+-P)?)?\s*\)|\$\{0%\/\*\}/g;

/** The script's last command as the next step; watched by itself if that is not understood. */
export function shellScript(
  file: string,
  args: readonly string[],
  invocation: Invocation,
  search: Search,
): ResolveStep {
  const itself: Target = { kind: 'itself', file };
  const text = isFile(file) ? readText(file) : undefined;
  if (text === undefined || text.length > SHORT || text.includes('\0')) return itself;
  const variables = new Map<string, string>();
  const filled = (line: string): string =>
    line.replace(/\$\{?([A-Za-z_]\w*)\}?/g, (whole, name: string) => variables.get(name) ?? whole);
  let row: readonly { words: readonly string[]; cwd: string }[] = [];
  let { cwd } = invocation;
  for (const raw of text.replace(/\\\r?\n/g, ' ').split(/\r?\n/)) {
    const line = filled(raw.replace(/(^|\s)#.*$/, '').replace(ownDirectory, dirname(file))).trim();
    if (line === '' || /^(set|export\s+\w+$|trap|umask|ulimit|source|\.)(\s|$)/.test(line)) continue;
    const [, name, value] =
      /^(?:export\s+|local\s+|readonly\s+)?([A-Za-z_]\w*)=(?:"([^"$`]*)"|'[^']*'|[^\s"'$`]*)$/.exec(line) ?? [];
    if (name !== undefined) {
      variables.set(name, value ?? line.slice(line.indexOf('=') + 1).replace(/^'|'$/g, ''));
      continue;
    }
    const commands = rowOf(line.replace(/"\$@"|\$@|"\$\*"|\$\*/g, ''), cwd);
    if (commands === undefined) {
      row = [];
      continue;
    }
    const moved = /^cd\s+("?)([^"&;|]+)\1\s*$/.exec(line)?.[2];
    if (commands.length === 0 && moved !== undefined) cwd = rowOf(`cd ${moved} && true`, cwd)?.[0]?.cwd ?? cwd;
    if (commands.length > 0) row = [...row, ...commands];
  }
  const last = row.at(-1);
  if (last === undefined || last.words.some((word) => /[$`]/.test(word))) return itself;
  search.before.push(...row.slice(0, -1));
  search.named.push(file);
  search.facts.push({
    what: 'script',
    value: last.words.join(' '),
    from: `the last line of ${shown(file, search.cwd)}`,
  });
  return { ...invocation, words: [...last.words, ...args], cwd: last.cwd, fallback: itself };
}
