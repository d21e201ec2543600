/** Under which names a changed file is counted: its path, and the patterns that stand for others like it. Pure. */

export interface Key {
  /** A path, or a glob. */
  readonly key: string;
  /** It stands for a whole tree. */
  readonly wide: boolean;
}

/**
 * The path first. A file that only changes stands for itself; one that comes or goes also for others of its ending near
 * it.
 */
export function keysOf({ path, kind }: { readonly path: string; readonly kind: string }): readonly Key[] {
  if (kind === 'changed') return [{ key: path, wide: false }];
  return [
    { key: path, wide: false },
    { key: placeOf(path), wide: false },
    { key: treeOf(path), wide: true },
  ];
}

/** Files of its ending in its directory. */
export function placeOf(path: string): string {
  return `${directoryOf(path)}*${endingOf(path)}`;
}

/** Files of its ending in the directory above, and in those below that. */
function treeOf(path: string): string {
  return `${directoryOf(directoryOf(path).slice(0, -1))}**/*${endingOf(path)}`;
}

function directoryOf(path: string): string {
  return /^.*\//.exec(path)?.[0] ?? '';
}

function endingOf(path: string): string {
  return /\.[^./]*$/.exec(path)?.[0] ?? '';
}
