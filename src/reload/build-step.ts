/**
 * The building part of an attempt: the builds of those rules whose files are not built yet, in order, one build a project at a
 * time. Remembers what is built, here and on the disk, so that nothing is built twice without need.
 */
import { join } from 'node:path';
import type { Failure } from '../agent/words.js';
import { acquireBuildLock, type Lock } from '../build/lock.js';
import { planBuild } from '../build/plan.js';
import { forgetBuilt, readBuilt, writeBuilt } from '../build/record.js';
import { runBuild } from '../build/run.js';
import type { Rule } from '../config/config.js';
import { hasBuild } from '../config/rules.js';
import type { FlowContext } from '../flow/flow.js';
import type { Freshness } from './freshness.js';

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
  /** Nobody has saved any of the rule's files since it was due. */
  undisturbed(): Promise<boolean>;
}

export class Builds {
  readonly #flow: FlowContext;
  readonly #built = new Map<string, string>();

  constructor(flow: FlowContext) {
    this.#flow = flow;
  }

  get any(): boolean {
    return hasBuild(this.#flow.config.rules);
  }

  async run(fresh: Freshness, rebuild: boolean, signal: AbortSignal): Promise<BuildStep> {
    const { watch } = fresh;
    let skipped = false;
    for (const rule of this.#flow.config.rules) {
      if (rule.build === undefined) continue;
      await watch.prepare([rule.name]);
      if (signal.aborted) return { kind: 'aborted' };
      const fingerprint = watch.fingerprint(rule.name);
      if (!rebuild && this.#built.get(rule.name) === fingerprint) continue;
      const mark = watch.mark();
      const undisturbed = async (): Promise<boolean> => !(await fresh.disturbed(mark, rule.name));
      const step = await this.#locked({ rule, build: rule.build, fingerprint, undisturbed }, rebuild, signal);
      watch.release(mark);
      if (step.kind !== 'built') return step;
      skipped ||= step.skipped;
    }
    return { kind: 'built', skipped };
  }

  async #locked(due: Due, rebuild: boolean, signal: AbortSignal): Promise<BuildStep> {
    const { rule, build, fingerprint } = due;
    const { projectDir, cwd } = this.#flow.config;
    const key = JSON.stringify([rule.name, build, cwd]);
    const lock = await acquireBuildLock(projectDir, signal);
    try {
      if (signal.aborted) return { kind: 'aborted' };
      if (!rebuild && (await readBuilt(projectDir, key)) === fingerprint) {
        this.#flow.log.debug('built', `${rule.name}: built already`, { rule: rule.name });
        this.#built.set(rule.name, fingerprint);
        return { kind: 'built', skipped: true };
      }
      // A build that fails or is abandoned leaves neither the old output nor the new one.
      this.#built.delete(rule.name);
      await forgetBuilt(projectDir, key);
      const step = await this.#build(rule, build, signal, lock);
      // What was built of files that somebody saved meanwhile, nobody knows.
      if (step.kind !== 'built' || !(await due.undisturbed())) return step;
      this.#built.set(rule.name, fingerprint);
      const recorded = await writeBuilt(projectDir, key, fingerprint);
      if (!recorded.ok) this.#flow.log.debug('warning', `the build could not be noted down: ${recorded.problem}`);
      return step;
    } finally {
      await lock?.release();
    }
  }

  async #build(rule: Rule, build: string, signal: AbortSignal, lock: Lock | undefined): Promise<BuildStep> {
    const { cwd, env, buildTimeout, stateDir } = this.#flow.config;
    const planned = await planBuild(build, cwd, env);
    if (!planned.ok) {
      return {
        kind: 'failed',
        failure: { kind: 'build', command: build, how: "can't be run", output: planned.problem },
      };
    }
    const { plan } = planned;
    this.#flow.log.info('building', `building: ${plan.label}`, { rule: rule.name });
    const outputFile = join(stateDir, `build-${rule.name.replace(/[^\w-]/g, '_')}.log`);
    const done = await runBuild(plan, {
      signal,
      timeout: buildTimeout,
      env,
      outputFile,
      started: async (pid) => lock?.building(pid),
    });
    if (done.kind === 'aborted') return done;
    if (done.kind === 'built') {
      this.#flow.log.info('built', `built in ${Math.round(done.ms)} ms`, { rule: rule.name, ms: Math.round(done.ms) });
      return { kind: 'built', skipped: false };
    }
    return {
      kind: 'failed',
      failure: { kind: 'build', command: plan.label, how: done.detail, output: done.output.excerpt() },
    };
  }
}
