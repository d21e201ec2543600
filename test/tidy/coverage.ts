// Compares the requirements table with the titles of the tests. Works on given texts only, so that it can be tested on
// made-up ones; reading the tree is left to tree.ts.
import type { Requirement } from '../requirements.js';

/** The ids that the titles in one test source begin with. Skipped and to-do tests prove nothing and are not seen. */
export function idsNamed(source: string): string[] {
  const titles = source.matchAll(/\b(?:test|it|describe|suite)(?:\.only)?\(\s*(?:'([^'\n]*)|"([^"\n]*)|`([^`]*))/g);
  return [...titles].flatMap(([, single, double, template]) => leadingIds(single ?? double ?? template ?? ''));
}

function leadingIds(title: string): string[] {
  const lead = /^(?:P\d+(?:\.[a-z-]+)?\b(?:,? and |[\s,/&]*))+/.exec(title)?.[0] ?? '';
  return lead.match(/P\d+(?:\.[a-z-]+)?/g) ?? [];
}

/** One sentence for each landed promise without a test and each id that no promise has. */
export function coverageProblems(requirements: readonly Requirement[], sources: ReadonlyMap<string, string>): string[] {
  const known = requirements.flatMap((requirement) => [requirement, ...(requirement.items ?? [])]);
  const knownIds = new Set(known.map(({ id }) => id));
  const named = [...sources].map(([file, text]) => ({ file, ids: idsNamed(text) }));
  const proved = new Set(named.flatMap(({ ids }) => ids.flatMap((id) => [id, id.replace(/\..*/, '')])));

  const unproved = known
    .filter(({ id, status }) => status === 'landed' && !proved.has(id))
    .map(({ id, text }) => `${id} has landed and no test names it: ${text}`);
  const unknown = named.flatMap(({ file, ids }) =>
    ids.filter((id) => !knownIds.has(id)).map((id) => `${file}: a test names ${id}, which is not in the table`),
  );
  return [...unproved, ...unknown];
}
