// The warning for `--watch` and rules that leave out the server's own code: they replace what is found, so a user who
// only meant to add a directory would never see an edit of the server again. Discovery finds the sources, watch/ says
// what a path covers.

import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { endingOf } from '../config/discovery/disk.js';
import { languageOf } from '../config/discovery/languages.js';
import type { CompletedConfig } from '../config/discovery/complete.js';
import { coverage } from '../watch/coverage.js';
import { expand } from '../watch/expand.js';

export function leftOutWarning({ config, discovered, explicitOptions, file }: CompletedConfig): string | undefined {
  if (discovered === undefined || discovered.rules.length === 0) return undefined;
  const { cwd } = config;
  const paths = config.rules.flatMap(({ watch }) => watch);
  const isWatched = coverage(paths, cwd);
  const { entry } = discovered;
  const sources = (
    entry === undefined
      ? expand(
          discovered.rules.flatMap(({ watch }) => watch),
          cwd,
        )
      : [entry]
  )
    .filter((path) => path === entry || languageOf(endingOf(path)) !== undefined)
    .filter((path) => existsSync(path));
  // If the output is watched, the user builds it.
  if (sources.length === 0 || [...sources, ...discovered.outputs].some(isWatched)) return undefined;
  if (discovered.outputs.some((output) => paths.some((path) => coverage([output], cwd)(path)))) return undefined;
  const what =
    entry === undefined
      ? 'all sources that were found from the command'
      : `${relative(cwd, entry)}, which the command runs`;
  const isFile = explicitOptions.watch === undefined && file?.rules !== undefined;
  const given = explicitOptions.watch ?? [];
  const instead = isFile
    ? 'add them to a rule, or with "alsoWatch"'
    : `--watch replaces what is found; to add to it, use ${given.map((path) => `--also-watch ${path}`).join(' ')} instead`;
  return `${isFile ? 'the rules of the configuration file leave' : '--watch leaves'} out ${what}, so that an edit there is not seen: ${instead}`;
}
