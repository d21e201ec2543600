/**
 * The building part of an attempt: the builds of those rules whose files are not built yet, in order, one build a
 * project at a time. Remembers what is built, here and on the disk, so that nothing is built twice without need.
 */
import { join } from 'node:path';
import type { LastBuild } from '../agent/status-report.js';
import type { Failure } from '../agent/words.js';
import { acquireBuildLock, type Lock } from '../build/lock.js';
import { planBuild, type BuildPlan } from '../build/plan.js';
import { outputsFingerprint } from '../build/outputs.js';
import { forgetBuilt, readBuilt, writeBuilt, type Built } from '../build/record.js';
import { runBuild, type BuildOptions, type BuildResult } from '../build/run.js';
import { runInHelper, type HelpedBuild } from '../build/run-in-helper.js';
import type { Rule } from '../config/config.js';
import { hasBuild } from '../config/rules.js';
import type { FlowContext } from '../flow/flow.js';
import type { Finish } from './finish-build.js';
import { pathsOf, type Freshness } from './freshness.js';
import type { WatchOptions } from '../watch/watch.js';

export type BuildStep =
  /** `skipped`: at least one build was left out because the disk says that it was done before. */
  | { readonly kind: 'built'; readonly skipped: boolean }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'aborted' };

/** A build that has to be run, unless the disk says that it was. */
interface Due {
  readonly rule: Rule;
  readonly build: string;
  readonly fingerprint: string;
  /** The changed files that make it due. */
  readonly files: readonly string[];
  /** When the fingerprint was taken, in milliseconds since 1970. */
  readonly since: number;
  /** The watch that took it, as another process would open it. */
  readonly watchOptions: WatchOptions;
  /** Nobody has saved any of the rule's files since it was due. */
  undisturbed(): Promise<boolean>;
}

/** What a build is for: which one, and whether a helper may finish it. */
export interface BuildRequest {
  readonly rebuild: boolean;
  /** No server of this session has been started yet: the client may not wait for so long. */
  readonly isFirst: boolean;
  readonly signal: AbortSignal;
}

export class Builds {
  readonly #flow: FlowContext;
  readonly #built = new Map<string, Built>();
  /** The build that a helper runs, and how to let it finish alone. */
  #helped: { readonly build: HelpedBuild; handOver(): Promise<void> } | undefined;

  #lockRefused = false;
  readonly #ran: (build: LastBuild, rule: Rule) => void;

  /** `ran`: a build has come to its end, well or not, or its command can't be run. */
  constructor(flow: FlowContext, ran: (build: LastBuild, rule: Rule) => void) {
    this.#flow = flow;
    this.#ran = ran;
  }

  get any(): boolean {
    return hasBuild(this.#flow.config.rules);
  }

  /** The client has closed its side. A first build goes on without the proxy, so that the next one finds it done. */
  async handOver(): Promise<void> {
    await this.#helped?.handOver();
  }

  /** A signal ends a build that was handed over a moment ago. */
  takeBack(): void {
    this.#helped?.build.takeBack();
  }

  async run(fresh: Freshness, request: BuildRequest): Promise<BuildStep> {
    const { watch, watchOptions } = fresh;
    const { rebuild, signal } = request;
    let skipped = false;
    for (const rule of this.#flow.config.rules) {
      if (rule.build === undefined) continue;
      await watch.prepare([rule.name]);
      if (signal.aborted) return { kind: 'aborted' };
      const fingerprint = watch.fingerprint(rule.name);
      if (!rebuild && (await isStill(this.#built.get(rule.name), fingerprint, rule))) continue;
      if (signal.aborted) return { kind: 'aborted' };
      const since = Date.now();
      const mark = watch.mark();
      const undisturbed = async (): Promise<boolean> => !(await fresh.disturbed(mark, rule.name));
      const files = pathsOf(fresh.news().filter((change) => change.rules.includes(rule.name)));
      const due = { rule, build: rule.build, fingerprint, files, since, watchOptions, undisturbed };
      const step = await this.#locked(due, request);
      watch.release(mark);
      if (step.kind !== 'built') return step;
      skipped ||= step.skipped;
    }
    return { kind: 'built', skipped };
  }

  async #locked(due: Due, request: BuildRequest): Promise<BuildStep> {
    const { rule, fingerprint } = due;
    const { rebuild, signal } = request;
    const { projectDir } = this.#flow.config;
    const key = this.#keyOf(due);
    const lock = await acquireBuildLock(
      projectDir,
      signal,
      () => this.#flow.events.emit({ kind: 'build-waiting', rule: rule.name }),
      (problem) => this.#refused(problem),
    );
    try {
      if (signal.aborted) return { kind: 'aborted' };
      const before = rebuild ? undefined : await readBuilt(projectDir, key);
      if (before !== undefined && (await isStill(before, fingerprint, rule))) {
        this.#flow.events.emit({ kind: 'build-skipped', rule: rule.name });
        this.#built.set(rule.name, before);
        return { kind: 'built', skipped: true };
      }
      // A build that fails or is abandoned leaves neither the old output nor the new one.
      this.#built.delete(rule.name);
      await forgetBuilt(projectDir, key);
      const step = await this.#build(due, request, lock);
      // What was built of files that somebody saved meanwhile, nobody knows.
      if (step.kind !== 'built' || !(await due.undisturbed())) return step;
      const built = { sources: fingerprint, outputs: await outputsFingerprint(rule.outputs ?? []) };
      this.#built.set(rule.name, built);
      const recorded = await writeBuilt(projectDir, key, built);
      if (!recorded.ok) {
        const text = `the build could not be recorded, so it is run again at the next start: ${recorded.problem}`;
        this.#flow.events.emit({ kind: 'warning', text, level: 'debug' });
      }
      return step;
    } finally {
      await lock?.release();
    }
  }

  #refused(problem: string): void {
    const text = `${problem}: builds of this project don't wait for each other`;
    if (!this.#lockRefused) this.#flow.events.emit({ kind: 'warning', text });
    this.#lockRefused = true;
  }

  /** What the record is kept under. */
  #keyOf({ rule, build }: Due): string {
    return JSON.stringify([rule.name, build, this.#flow.config.cwd, ...(rule.outputs ?? [])]);
  }

  async #build(due: Due, request: BuildRequest, lock: Lock | undefined): Promise<BuildStep> {
    const { rule, build, files } = due;
    const { cwd, env, buildTimeout, stateDir } = this.#flow.config;
    const ran = (ok: boolean, ms: number): void =>
      this.#ran({ rule: rule.name, at: new Date().toISOString(), ms: Math.round(ms), files, ok }, rule);
    const planned = await planBuild(build, cwd, env);
    if (!planned.ok) {
      ran(false, 0);
      return {
        kind: 'failed',
        failure: { kind: 'build', command: build, cause: { kind: 'not-runnable' }, output: planned.problem },
      };
    }
    const { plan } = planned;
    this.#flow.events.emit({ kind: 'building', rule: rule.name, command: plan.label });
    const outputFile = join(stateDir, `build-${rule.name.replace(/[^\w-]/g, '_')}.log`);
    const started = async (pid: number): Promise<void> => lock?.building(pid);
    const options = { signal: request.signal, timeout: buildTimeout, env, outputFile, started };
    const helped = request.isFirst && lock !== undefined ? this.#runInHelper(due, plan, options, lock) : undefined;
    const done = await (helped ?? runBuild(plan, options));
    if (done.kind === 'aborted') return done;
    ran(done.kind === 'built', done.ms);
    if (done.kind === 'built') {
      this.#flow.events.emit({ kind: 'built', rule: rule.name, ms: Math.round(done.ms) });
      return { kind: 'built', skipped: false };
    }
    return {
      kind: 'failed',
      failure: { kind: 'build', command: plan.label, cause: done.cause, output: done.output.excerpt() },
    };
  }

  #runInHelper(due: Due, plan: BuildPlan, options: BuildOptions, lock: Lock): Promise<BuildResult> | undefined {
    const { config, events, helperCommand } = this.#flow;
    if (helperCommand === undefined || options.signal.aborted) return undefined;
    const build = runInHelper(helperCommand, plan, options);
    if (build === undefined) return undefined;
    const finish = (lockText: string): Finish => ({
      stateDir: config.stateDir,
      projectDir: config.projectDir,
      lockText,
      rule: due.rule.name,
      ruleKey: this.#keyOf(due),
      fingerprint: due.fingerprint,
      outputs: due.rule.outputs ?? [],
      began: due.since,
      watch: due.watchOptions,
    });
    const handOver = async (): Promise<void> => {
      const pid = await build.handOver(lock, finish);
      if (pid !== undefined) events.emit({ kind: 'build-handed-over', rule: due.rule.name, pid });
    };
    let handingOver: Promise<void> | undefined;
    this.#helped = { build, handOver: () => (handingOver ??= handOver()) };
    return build.result;
  }
}

/** Whether the sources are those that were built, and the outputs those that the build left. */
async function isStill(built: Built | undefined, sources: string, { outputs = [] }: Rule): Promise<boolean> {
  return built?.sources === sources && built.outputs === (await outputsFingerprint(outputs));
}
