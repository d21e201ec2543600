/**
 * What npm, pnpm and yarn print around the script that they run: a banner that names it, and npm's warnings. Neither is
 * the script's own word. Pure; what to do about it is left to the callers.
 */

export type ScriptRunner = 'npm' | 'pnpm' | 'yarn';

/** `> name@1.0.0 start`, with pnpm also the directory. Without a version npm prints only the script's name. */
const NAMED = /^> (?:@?[^\s@]+@\S+) [^\s/]+(?<directory> \S.*)?$/;
const UNNAMED = /^> [\w:.-]+$/;
const COMMAND = /^> \S/;
const YARN = /^yarn run v\d/;
const YARN_COMMAND = /^\$ /;
const YARN_HELP = /^info Visit \S+ for documentation about this command\.$/;
const NPM_WARNING = /^npm (?:warn|WARN|notice)\b/;

export interface Printed {
  /** Whose banner was there. */
  readonly runner: ScriptRunner | undefined;
  /** What is left without it, and without npm's warnings. */
  readonly rest: string;
}

export function withoutBanner(text: string): Printed {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  const rest: string[] = [];
  let runner: ScriptRunner | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    const next = lines[at + 1] ?? '';
    const found = runnerOf(line, next);
    runner ??= found;
    if (found === undefined) {
      if (!NPM_WARNING.test(line) && !YARN_HELP.test(line)) rest.push(line);
    } else if ((found === 'yarn' ? YARN_COMMAND : COMMAND).test(next)) at++;
  }
  return { runner, rest: rest.join('\n').replace(/^\n+/, '').trimEnd() };
}

function runnerOf(line: string, next: string): ScriptRunner | undefined {
  if (YARN.test(line)) return 'yarn';
  const named = NAMED.exec(line);
  if (named !== null) return named.groups?.['directory'] === undefined ? 'npm' : 'pnpm';
  return UNNAMED.test(line) && COMMAND.test(next) ? 'npm' : undefined;
}
