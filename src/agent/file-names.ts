/** How files are named in a sentence. Pure. */

/** A few file names, and how many more. */
export function nameFiles(files: readonly string[]): string {
  const shown = files.slice(0, 3).join(', ');
  return files.length > 3 ? `${shown} and ${files.length - 3} more` : shown;
}
