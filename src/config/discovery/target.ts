// Follows a command to what it runs in the end, step by step: variables and programs that only run another program are
// removed, scripts are read, until an entry file, a project or nothing is left. The tables of runners know the
// programs.

import { resolve } from 'node:path';
import { realOf } from './disk.js';
import { programName } from './flags.js';
import { nothing, type Invocation, type Runner, type Search, type ResolveStep, type Target } from './discovery.js';
import { interpreters } from './interpreters.js';
import { nativeProgram } from './native-programs.js';
import { packageManagers } from './package-managers.js';
import { program } from './programs.js';
import { pythonTools } from './python.js';
import { toolchains } from './toolchains.js';
import { wrappers } from './wrappers.js';

const runners = new Map<string, Runner>(
  [wrappers, interpreters, packageManagers, pythonTools, toolchains].flatMap((table) => Object.entries(table)),
);

/** Scripts that call each other without end are given up after so many steps. */
const STEPS = 20;

export function findTarget(first: Invocation, search: Search): Target {
  let step: ResolveStep = first;
  let fallback: Target | undefined;
  for (let count = 0; step.kind === 'command'; count++) {
    if (count === STEPS) return nothing('its scripts call each other without end');
    fallback = step.fallback;
    step = follow(step, search);
  }
  return step.kind === 'nothing' ? (fallback ?? step) : step;
}

function follow(invocation: Invocation, search: Search): ResolveStep {
  const start = invocation.words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  const words = start < 0 ? [] : invocation.words.slice(start);
  const [word, ...args] = words;
  if (word === undefined) return nothing('no program is named');
  if (words.some((one) => one === 'debugpy' || /^--inspect(-brk|-wait)?(=|$)/.test(one))) search.debugged = true;
  const run = runners.get(programName(word));
  // A program of the project may have the name of a known one, for example `mcp`.
  const own = run && /[\\/]/.test(word) ? nativeProgram(realOf(resolve(invocation.cwd, word)), search) : undefined;
  if (own?.kind === 'made') return own;
  return run === undefined ? program(word, args, invocation, search) : run(args, { ...invocation, words }, search);
}
