/**
 * The configuration in force while the proxy runs: what has to be watched by it (rules, what they import, the
 * configuration file itself), and what a change of those files means. Reading and checking are left to config/;
 * building and restarting to the attempts of each lineage.
 */
import { basename } from 'node:path';
import type { Failure } from '../agent/words.js';
import type { Config } from '../config/config.js';
import { createImports, type Imports } from '../config/imports.js';
import type { ConfigInForce } from '../config/config-in-force.js';
import { directoryGone } from '../server/not-spawned.js';
import type { EventEmitter } from '../events/bus.js';
import { expand } from '../watch/expand.js';
import type { Change, WatchRule } from '../watch/types.js';

/** The name under which the configuration file is watched. No rule can have it. */
const CONFIGURATION = '(configuration)';

export interface ConfigurationContext {
  readonly configInForce: ConfigInForce;
  readonly events: EventEmitter;
}

/** `version`: what is in force; it grows with every difference. */
export type ConfigurationCheck =
  /** What the lineage has applied already is in force. */
  | { readonly kind: 'same' }
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** Other files are to be watched, and perhaps the server to be started anew. */
  | { readonly kind: 'changed'; readonly version: number; readonly restart: boolean };

type Reread = { readonly kind: 'same' | 'changed'; readonly restart: boolean } | Failed;
type Failed = Extract<ConfigurationCheck, { kind: 'failed' }>;

export class Configuration {
  readonly #context: ConfigurationContext;
  #imports: Imports;
  #version = 0;
  #opened: Promise<void> | undefined;
  /** The last version that needs a server that is started with it. */
  #restartVersion = 0;

  constructor(context: ConfigurationContext) {
    this.#context = context;
    this.#imports = importsOf(context.configInForce.current);
  }

  get current(): Config {
    return this.#context.configInForce.current;
  }

  /** Grows with every difference that a lineage has to apply. */
  get version(): number {
    return this.#version;
  }

  /**
   * Before anything is watched: what the rules import now. A file that can't be read yet is looked at when it changes.
   */
  open(): Promise<void> {
    return (this.#opened ??= this.#followImports());
  }

  async #followImports(): Promise<void> {
    if (!this.current.rules.some((rule) => rule.imports !== undefined)) return;
    const { missing, problems } = await this.#imports.follow();
    for (const text of problems) this.#context.events.emit({ kind: 'warning', text });
    this.#warnOfMissing(missing);
  }

  /** What has to be watched. */
  watchRules(): WatchRule[] {
    const { current, watchTargets } = this.#context.configInForce;
    const own = current.rules.map(({ name, watch, data }) => ({
      name,
      paths: [...watch, ...(this.#imports.files.get(name) ?? [])],
      ...(data !== undefined && { data }),
    }));
    return watchTargets.length === 0 ? own : [...own, { name: CONFIGURATION, paths: watchTargets, optional: true }];
  }

  /** Reads anew what these changes are about. `applied`: the version that the lineage goes by. */
  async update(changes: readonly Change[], applied: number): Promise<ConfigurationCheck> {
    const names = new Set(changes.flatMap((change) => change.rules));
    const reread: Reread = names.has(CONFIGURATION) ? await this.#reread() : { kind: 'same', restart: false };
    if (reread.kind === 'failed') return reread;
    const importing = this.current.rules.some((rule) => rule.imports !== undefined && names.has(rule.name));
    let isNew = reread.kind === 'changed';
    if (isNew || importing) {
      const { changed, missing, problems } = await this.#imports.follow();
      if (problems.length > 0) return failed('a file that a rule imports', problems.join('\n'));
      this.#warnOfMissing(missing);
      isNew ||= changed;
    }
    if (isNew) this.#version++;
    if (reread.restart) this.#restartVersion = this.#version;
    if (this.#version === applied) return { kind: 'same' };
    return { kind: 'changed', version: this.#version, restart: this.#restartVersion > applied };
  }

  async #reread(): Promise<Reread> {
    const { configInForce, events } = this.#context;
    const reread = await configInForce.reread();
    if (!reread.ok) {
      const failure = directoryGone(basename(this.current.command), this.current.cwd);
      if (failure !== undefined) return { kind: 'failed', failure };
      return failed('the configuration file', reread.error);
    }
    const { change, warnings } = reread.value;
    for (const text of warnings) events.emit({ kind: 'warning', text });
    // Nothing differs, or another lineage has read it at the same time.
    if (change === undefined) return { kind: 'same', restart: false };
    const { changed, needsRestart } = change;
    this.#imports = importsOf(this.current);
    events.emit({ kind: 'configuration-changed', options: changed });
    return { kind: 'changed', restart: needsRestart };
  }

  #warnOfMissing(missing: readonly string[]): void {
    for (const file of missing) {
      const text = `${file} is imported but does not exist yet. It is watched as soon as it does`;
      this.#context.events.emit({ kind: 'warning', text });
    }
  }
}

function importsOf({ rules, cwd }: Config): Imports {
  return createImports(rules, cwd, (paths) => expand(paths, cwd));
}

function failed(what: string, output: string): Failed {
  return { kind: 'failed', failure: { kind: 'configuration', command: what, cause: { kind: 'unusable' }, output } };
}
