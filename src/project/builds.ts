/**
 * The builds of a project: of each rule whose files are not built yet, in order, one build a project at a time. All
 * lineages that need the build of the same files join one run. Remembers what is built, here and on the disk, so that
 * nothing is built twice without need. What a lineage does with the outcome is left to `lineage/attempts.ts`.
 */
import { join } from 'node:path';
import type { LastBuild } from '../agent/status-report.js';
import { acquireBuildLock, type Lock } from '../build/lock.js';
import { planBuild, type BuildPlan } from '../build/plan.js';
import { outputsFingerprint } from '../build/outputs.js';
import { forgetBuilt, readBuilt, writeBuilt, type Built } from '../build/record.js';
import { runBuild, type BuildOptions, type BuildResult } from '../build/run.js';
import { runInHelper, type HelpedBuild } from '../build/run-in-helper.js';
import type { Rule } from '../config/config.js';
import { hasBuild } from '../config/rules.js';
import type { EventEmitter } from '../events/bus.js';
import type { WatchOptions } from '../watch/watch.js';
import type { Configuration } from './configuration.js';
import { pathsOf, type Change, type Disk, type Snapshot } from './disk.js';
import type { Finish } from './finish-build.js';
import { SharedBuild, type BuildAsker, type BuildStep, type BuildSubject } from './shared-build.js';

export type { BuildStep };

/** A build that has to be run, unless the disk says that it was. */
interface BuildDue {
  readonly rule: Rule;
  readonly build: string;
  readonly fingerprint: string;
  /** The changed files that make it due. */
  readonly files: readonly string[];
  /** When the fingerprint was taken, in milliseconds since 1970. */
  readonly since: number;
  /** The watch that took it, as another process would open it. */
  readonly watchOptions: WatchOptions;
}

/** The disk, as the lineage compares it. */
export interface BuildSource {
  /** What the attempt is about. */
  changesToApply(): readonly Change[];
  /** Files whose saves with the same content are expected in the present attempt. */
  readonly expectedSaves: ReadonlySet<string>;
  /** Looks at the disk, and returns whether a file of the rule was saved since, be it with the content that it had. */
  findChanges(since: Snapshot, rule: string, expectedSaves: ReadonlySet<string>): Promise<boolean>;
}

/** What a lineage asks for. `rebuild`: build even what counts as built. */
export interface BuildRequest extends BuildAsker {
  /** No server of this lineage has been started yet: the client may not wait for so long. */
  readonly isFirst: boolean;
  readonly source: BuildSource;
  readonly signal: AbortSignal;
  /** A build has come to its end, well or not, or its command can't be run. */
  onBuilt(build: LastBuild, rule: Rule): void;
}

export interface BuildsContext {
  readonly events: EventEmitter;
  readonly helperCommand: readonly string[] | undefined;
}

/** What one run of a build is given beside what it builds. */
interface BuildRun {
  readonly request: BuildRequest;
  /** Aborted when nobody needs the build any more. */
  readonly signal: AbortSignal;
  onBuilt(build: LastBuild): void;
}

export class Builds {
  readonly #context: BuildsContext;
  readonly #config: Configuration;
  readonly #disk: Disk;
  readonly #builtByRule = new Map<string, Built>();
  readonly #sharedByRule = new Map<string, SharedBuild>();
  /** The build that a helper runs, and how to let it finish alone. */
  #helped: { readonly build: HelpedBuild; handOver(): Promise<void> } | undefined;
  #lockRefused = false;

  constructor(context: BuildsContext, config: Configuration, disk: Disk) {
    this.#context = context;
    this.#config = config;
    this.#disk = disk;
  }

  /** Whether any rule has a build. */
  get any(): boolean {
    return hasBuild(this.#config.current.rules);
  }

  /** The client has closed its side. A first build goes on without the proxy, so that the next one finds it done. */
  async handOver(): Promise<void> {
    const isJoined = [...this.#sharedByRule.values()].some((shared) => shared.isJoined);
    if (!isJoined) await this.#helped?.handOver();
  }

  /** A signal ends a build that was handed over a moment ago. */
  takeBack(): void {
    this.#helped?.build.takeBack();
  }

  async run(request: BuildRequest): Promise<BuildStep> {
    let skipped = false;
    for (const rule of this.#config.current.rules) {
      if (rule.build === undefined) continue;
      const step = await this.#runRule(rule, rule.build, request);
      if (step.kind !== 'built') return step;
      skipped ||= step.skipped;
    }
    return { kind: 'built', skipped };
  }

  async #runRule(rule: Rule, build: string, request: BuildRequest): Promise<BuildStep> {
    const { rebuild, signal } = request;
    for (;;) {
      await this.#disk.prepare([rule.name]);
      if (signal.aborted) return { kind: 'aborted' };
      const fingerprint = this.#disk.fingerprint(rule.name);
      if (!rebuild && (await isStill(this.#builtByRule.get(rule.name), fingerprint, rule)))
        return { kind: 'built', skipped: false };
      if (signal.aborted) return { kind: 'aborted' };
      const shared = this.#sharedByRule.get(rule.name);
      const subject = { fingerprint, build, version: this.#disk.version };
      if (shared?.serves(subject, request) === true) {
        const step = await shared.join(signal, (last) => request.onBuilt(last, rule));
        if (step !== 'unusable') return step;
      } else if (shared !== undefined && !shared.isOver) {
        // Two builds at a time would write over each other.
        await shared.over(signal);
      } else {
        return this.#begin(rule, subject, request);
      }
    }
  }

  async #begin(rule: Rule, subject: BuildSubject, request: BuildRequest): Promise<BuildStep> {
    const { fingerprint, build } = subject;
    const { watchOptions } = this.#disk;
    const files = pathsOf(request.source.changesToApply().filter((change) => change.rules.includes(rule.name)));
    const due: BuildDue = { rule, build, fingerprint, files, since: Date.now(), watchOptions };
    const snapshot = this.#disk.snapshot();
    // What was built of files that somebody saved meanwhile, nobody knows.
    const { expectedSaves } = request.source;
    const isDisturbed = (): Promise<boolean> => request.source.findChanges(snapshot, rule.name, expectedSaves);
    const shared = new SharedBuild(subject, request.rebuild, async (signal, onBuilt) => {
      try {
        return await this.#runLocked(due, { request, signal, onBuilt }, isDisturbed);
      } finally {
        this.#disk.dispose(snapshot);
      }
    });
    this.#sharedByRule.set(rule.name, shared);
    return shared.lead(request.signal, (last) => request.onBuilt(last, rule));
  }

  async #runLocked(
    due: BuildDue,
    run: BuildRun,
    isDisturbed: () => Promise<boolean>,
  ): Promise<{ step: BuildStep; isDisturbed: boolean }> {
    const { rule, fingerprint } = due;
    const { signal } = run;
    const { rebuild } = run.request;
    const { events } = this.#context;
    const { projectDir } = this.#config.current;
    const key = this.#keyOf(due);
    const lock = await acquireBuildLock(
      projectDir,
      signal,
      () => events.emit({ kind: 'build-waiting', rule: rule.name }),
      (problem) => this.#warnOfLock(problem),
    );
    try {
      if (signal.aborted) return { step: { kind: 'aborted' }, isDisturbed: false };
      const before = rebuild ? undefined : await readBuilt(projectDir, key);
      if (before !== undefined && (await isStill(before, fingerprint, rule))) {
        events.emit({ kind: 'build-skipped', rule: rule.name });
        this.#builtByRule.set(rule.name, before);
        return { step: { kind: 'built', skipped: true }, isDisturbed: false };
      }
      // A build that fails or is abandoned leaves neither the old output nor the new one.
      this.#builtByRule.delete(rule.name);
      await forgetBuilt(projectDir, key);
      const step = await this.#build(due, run, lock);
      if (step.kind !== 'built') return { step, isDisturbed: false };
      if (await isDisturbed()) return { step, isDisturbed: true };
      const built = { sources: fingerprint, outputs: await outputsFingerprint(rule.outputs ?? []) };
      this.#builtByRule.set(rule.name, built);
      const recorded = await writeBuilt(projectDir, key, built);
      if (!recorded.ok) {
        const text = `the build could not be recorded, so it is run again at the next start: ${recorded.problem}`;
        events.emit({ kind: 'warning', text, level: 'debug' });
      }
      return { step, isDisturbed: false };
    } finally {
      await lock?.release();
    }
  }

  #warnOfLock(problem: string): void {
    const text = `${problem}: builds of this project don't wait for each other`;
    if (!this.#lockRefused) this.#context.events.emit({ kind: 'warning', text });
    this.#lockRefused = true;
  }

  /** What the record is kept under. */
  #keyOf({ rule, build }: BuildDue): string {
    return JSON.stringify([rule.name, build, this.#config.current.cwd, ...(rule.outputs ?? [])]);
  }

  async #build(due: BuildDue, run: BuildRun, lock: Lock | undefined): Promise<BuildStep> {
    const { rule, build, files } = due;
    const { events } = this.#context;
    const { cwd, env, buildTimeout, stateDir } = this.#config.current;
    const reportEnd = (ok: boolean, ms: number): void =>
      run.onBuilt({ rule: rule.name, at: new Date().toISOString(), ms: Math.round(ms), files, ok });
    const planned = await planBuild(build, cwd, env);
    if (!planned.ok) {
      reportEnd(false, 0);
      return {
        kind: 'failed',
        failure: { kind: 'build', command: build, cause: { kind: 'not-runnable' }, output: planned.problem },
      };
    }
    const { plan } = planned;
    events.emit({ kind: 'building', rule: rule.name, command: plan.label });
    const outputFile = join(stateDir, `build-${rule.name.replace(/[^\w-]/g, '_')}.log`);
    const started = async (pid: number): Promise<void> => lock?.building(pid);
    const options = { signal: run.signal, timeout: buildTimeout, env, outputFile, started };
    const helped = run.request.isFirst && lock !== undefined ? this.#runInHelper(due, plan, options, lock) : undefined;
    const done = await (helped ?? runBuild(plan, options));
    if (done.kind === 'aborted') return done;
    reportEnd(done.kind === 'built', done.ms);
    if (done.kind === 'built') {
      events.emit({ kind: 'built', rule: rule.name, ms: Math.round(done.ms) });
      return { kind: 'built', skipped: false };
    }
    return {
      kind: 'failed',
      failure: { kind: 'build', command: plan.label, cause: done.cause, output: done.output.excerpt() },
    };
  }

  #runInHelper(due: BuildDue, plan: BuildPlan, options: BuildOptions, lock: Lock): Promise<BuildResult> | undefined {
    const { events, helperCommand } = this.#context;
    const { stateDir, projectDir } = this.#config.current;
    if (helperCommand === undefined || options.signal.aborted) return undefined;
    const build = runInHelper(helperCommand, plan, options);
    if (build === undefined) return undefined;
    const finish = (lockText: string): Finish => ({
      stateDir,
      projectDir,
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
