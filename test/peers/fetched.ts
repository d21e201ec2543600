// What the proofs fetch because the project does not depend on it, as scripts/fetch.mjs gives it; it is an error here
// if it can't be had.

interface Fetch {
  fetchNode(version: string): string | { problem: string };
  fetchPackage(name: string, version: string): string | { problem: string };
}

const { fetchNode, fetchPackage } = (await import(
  new URL('../../../scripts/fetch.mjs', import.meta.url).href
)) as Fetch;

/** The path of the binary. */
export function nodeOf(version: string): string {
  return found(fetchNode(version));
}

/** The directory of the package. */
export function packageOf(name: string, version: string): string {
  return found(fetchPackage(name, version));
}

function found(path: string | { problem: string }): string {
  if (typeof path !== 'string') throw new Error(path.problem);
  return path;
}
