/** Makes a failing script small: leaves out what the failure does not need, as long as it stays the same failure. */
import { run, type Outcome } from './run.js';
import type { Program, Script } from './script.js';

export interface Shrunk {
  readonly script: Script;
  readonly outcome: Outcome;
  /** How many runs it took. */
  readonly tries: number;
}

const MOST_TRIES = 600;

export async function shrink(script: Script, promise: string): Promise<Shrunk> {
  let best = script;
  let tries = 0;
  const fails = async (candidate: Script): Promise<boolean> => {
    if (tries >= MOST_TRIES) return false;
    tries++;
    if ((await run(candidate)).breach?.promise !== promise) return false;
    best = candidate;
    return true;
  };
  for (let before = Infinity; size(best) < before && tries < MOST_TRIES;) {
    before = size(best);
    for (let part = Math.ceil(best.events.length / 2); part >= 1; part = part === 1 ? 0 : Math.ceil(part / 2)) {
      for (let at = 0; at < best.events.length;) {
        const events = best.events.filter((_, index) => index < at || index >= at + part);
        if (!(await fails({ ...best, events }))) at += part;
      }
    }
    for (const index of best.programs.keys()) {
      for (const trait of Object.keys(best.programs[index] ?? {})) {
        const programs = best.programs.map((program, at) => (at === index ? without(program, trait) : program));
        await fails({ ...best, programs });
      }
    }
    for (const [index, { turns, ms }] of best.events.entries()) {
      if (turns === 0 && ms === 0) continue;
      await fails({
        ...best,
        events: best.events.map((event, at) => (at === index ? { ...event, turns: 0, ms: 0 } : event)),
      });
    }
  }
  return { script: best, outcome: await run(best, true), tries };
}

function without(program: Program, trait: string): Program {
  return Object.fromEntries(Object.entries(program).filter(([name]) => name !== trait));
}

function size({ events, programs }: Script): number {
  const traits = programs.reduce((sum, program) => sum + Object.keys(program).length, 0);
  const pauses = events.filter(({ turns, ms }) => turns > 0 || ms > 0).length;
  return events.length * 3 + traits + pauses;
}
