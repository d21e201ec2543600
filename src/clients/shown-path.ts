// A path as it is shown to people: from the current directory if it is in there, else from home.

import { isAbsolute, relative, sep } from 'node:path';

export function shownPath(path: string, { cwd, home }: { readonly cwd: string; readonly home: string }): string {
  const here = within(path, cwd);
  if (here !== undefined) return here;
  const below = within(path, home);
  return below === undefined ? path : `~${sep}${below}`;
}

function within(path: string, directory: string): string | undefined {
  const way = relative(directory, path);
  return way === '' || isAbsolute(way) || way.split(sep)[0] === '..' ? undefined : way;
}
