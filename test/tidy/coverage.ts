// Compares the requirements table with the titles of the tests. Works on given texts only, so that it can be tested on
// made-up ones; reading the tree is left to tree.ts.
import type { Requirement } from '../requirements.js';

/** The ids that the titles in one test source begin with. */
export function idsNamed(source: string): string[] {
  return titlesOf(source).flatMap(leadingIds);
}

/** Skipped and to-do tests prove nothing and are not seen. A case that is a data file has its title in it. */
function titlesOf(source: string): string[] {
  const inCode = /\b(?:test|it|describe|suite)(?:\.only)?\(\s*(?:'([^'\n]*)|"([^"\n]*)|`([^`]*))/g;
  const inData = /^ {2}"title": "([^"]*)"/gm;
  return [...source.matchAll(inCode), ...source.matchAll(inData)].map(
    ([, single, double, template]) => single ?? double ?? template ?? '',
  );
}

/** Titles that name a promise in another form than `P4 P6 what is so`. */
export function misshapenTitles(requirements: readonly Requirement[], sources: ReadonlyMap<string, string>): string[] {
  const names = requirements.map(({ title }) => title).join('|');
  const form = new RegExp(`^P\\d+(\\.[a-z-]+)?( P\\d+(\\.[a-z-]+)?)* (?!and P|(${names}): )[^\\s:,]`);
  return [...sources].flatMap(([file, text]) =>
    titlesOf(text)
      .filter((title) => /^P\d/.test(title) && !form.test(title))
      .map((title) => `${file}: ${title}`),
  );
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
