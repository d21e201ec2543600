/**
 * The configuration while the proxy runs: what has to be watched by it (rules, what they import, the configuration file
 * itself), and what a change of those files means. Reading and checking are config/'s; building and restarting the
 * attempt's.
 */
import type { Failure } from '../agent/words.js';
import { createImports, type Imports } from '../config/imports.js';
import type { FlowContext } from '../flow/flow.js';
import { expand } from '../watch/expand.js';
import type { Change, WatchRule } from '../watch/types.js';
import { directoryGone } from '../server/not-spawned.js';

/** The name under which the configuration file is watched. No rule can have it. */
const CONFIGURATION = '(configuration)';

export type Look =
  /** Nothing that concerns the configuration has changed. */
  | { readonly kind: 'same' }
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** Other files are to be watched, and perhaps the server to be started anew. */
  | { readonly kind: 'changed'; readonly restart: boolean };

export class Configuration {
  readonly #flow: FlowContext;
  #imports: Imports;

  constructor(flow: FlowContext) {
    this.#flow = flow;
    this.#imports = this.#importsOf();
  }

  /**
   * Before anything is watched: what the rules import now. A file that can't be read yet is looked at when it changes.
   */
  async open(): Promise<void> {
    if (!this.#flow.config.rules.some((rule) => rule.imports !== undefined)) return;
    const { missing, problems } = await this.#imports.follow();
    for (const text of problems) this.#flow.events.emit({ kind: 'warning', text });
    this.#warnOfMissing(missing);
  }

  /** What has to be watched. */
  rules(): WatchRule[] {
    const { config, configInForce } = this.#flow;
    const own = config.rules.map(({ name, watch, data }) => ({
      name,
      paths: [...watch, ...(this.#imports.files.get(name) ?? [])],
      ...(data !== undefined && { data }),
    }));
    const { watchTargets } = configInForce;
    return watchTargets.length === 0 ? own : [...own, { name: CONFIGURATION, paths: watchTargets, optional: true }];
  }

  async look(changes: readonly Change[]): Promise<Look> {
    const names = new Set(changes.flatMap((change) => change.rules));
    const reread = names.has(CONFIGURATION) ? await this.#reread() : { kind: 'same' as const };
    if (reread.kind === 'failed') return reread;
    const importing = this.#flow.config.rules.some((rule) => rule.imports !== undefined && names.has(rule.name));
    if (reread.kind === 'same' && !importing) return reread;
    const { changed, missing, problems } = await this.#imports.follow();
    if (problems.length > 0) return failed('a file that a rule imports', problems.join('\n'));
    this.#warnOfMissing(missing);
    return changed && reread.kind === 'same' ? { kind: 'changed', restart: false } : reread;
  }

  async #reread(): Promise<Look> {
    const { configInForce, events } = this.#flow;
    const reread = await configInForce.reread();
    if (!reread.ok) {
      const failure = directoryGone(this.#flow.name, this.#flow.config.cwd);
      if (failure !== undefined) return { kind: 'failed', failure };
      return failed('the configuration file', reread.error);
    }
    const { change, warnings } = reread.value;
    for (const text of warnings) events.emit({ kind: 'warning', text });
    if (change === undefined) return { kind: 'same' };
    const { changed, needsRestart } = change;
    this.#imports = this.#importsOf();
    events.emit({ kind: 'configuration-changed', options: changed });
    return { kind: 'changed', restart: needsRestart };
  }

  #warnOfMissing(files: readonly string[]): void {
    for (const file of files) {
      const text = `${file} is imported but does not exist yet. It is watched as soon as it does`;
      this.#flow.events.emit({ kind: 'warning', text });
    }
  }

  #importsOf(): Imports {
    const { rules, cwd } = this.#flow.config;
    return createImports(rules, cwd, (paths) => expand(paths, cwd));
  }
}

function failed(what: string, output: string): Look {
  return { kind: 'failed', failure: { kind: 'configuration', command: what, cause: { kind: 'unusable' }, output } };
}
