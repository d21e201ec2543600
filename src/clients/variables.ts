// Replaces the variables of a client in the words of a command, so that discovery sees what the client will start.
// Unknown variables stay; the file itself is never changed here.

import type { Client, Variables } from './client.js';

export interface Known {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The directory that the client is opened in. */
  readonly base: string;
  readonly home: string;
}

const patterns: Readonly<Record<Variables, RegExp>> = {
  '${V}': /\$\{(?<name>[A-Za-z_]\w*)(?::-(?<otherwise>[^}]*))?\}/g,
  $V: /\$(?<name>[A-Za-z_]\w*)/g,
  '${env:V}': /\$\{env:(?<name>[^}]+)\}/g,
  '{env:V}': /(?<!\$)\{env:(?<name>[^}]+)\}/g,
};

export function expandVariables(
  word: string,
  { variables, workspaceFolder }: Pick<Client, 'variables' | 'workspaceFolder'>,
  { env, base, home }: Known,
): string {
  let text = word;
  if (workspaceFolder === true) {
    text = text
      .replaceAll(/\$\{workspaceFolder(?::[^}]*)?\}/g, () => base)
      .replaceAll('${userHome}', () => home)
      .replaceAll(/\$\{(?:pathSeparator|\/)\}/g, () => '/')
      .replaceAll('${workspaceFolderBasename}', () => base.split(/[\\/]/).at(-1) ?? '');
  }
  for (const form of variables) {
    text = text.replaceAll(patterns[form], (whole, ...rest) => {
      const { name = '', otherwise } = rest.at(-1) as { name?: string; otherwise?: string };
      return env[name] ?? otherwise ?? whole;
    });
  }
  return text;
}
