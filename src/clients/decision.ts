// Decides what happens to one entry of a client's configuration, and with which reason. Pure.

import type { Belonging } from './belonging.js';
import type { Configuration } from './configurations.js';
import type { ServerEntry } from './shape.js';
import { NO_SERVER, wrappedWords } from './documents.js';

export type Decision =
  | { readonly action: 'change'; readonly warnings: readonly string[] }
  | { readonly action: 'leave'; readonly reason: string };

export interface Asked {
  /** The server was named. */
  readonly isNamed: boolean;
  readonly all: boolean;
  /** What to watch was said. */
  readonly saysWatch: boolean;
  /** Options for the proxy were given. */
  readonly hasOptions: boolean;
  /** Files of the proxy that a wrapped entry names and that do not exist. */
  readonly gone: readonly string[];
}

/** Whether `wrap` changes the entry; `belonging` of the command that it starts. */
export function decideWrap(entry: ServerEntry, belonging: Belonging | undefined, asked: Asked): Decision {
  const problem = cannotChange(entry);
  if (problem !== undefined) return leave(problem);
  if (wrappedWords(entry.words ?? []) !== undefined) return leave(wrappedAlready(asked));
  const wanted = asked.isNamed || asked.all;
  if (belonging === undefined || belonging.kind === 'project') return { action: 'change', warnings: warningsOf(entry) };
  if (!wanted) return leave(`${belonging.reason}; name it, or use --all, to wrap it too`);
  const unwatched =
    belonging.kind === 'nothing' && !asked.saysWatch
      ? [`nothing to watch was found (${belonging.reason}): unwrap it, and wrap it again with -- --watch <path>`]
      : [];
  return { action: 'change', warnings: [...unwatched, ...warningsOf(entry)] };
}

/** Whether `unwrap` does. In a file of the project all that are wrapped are meant. */
export function decideUnwrap(
  entry: ServerEntry,
  belonging: Belonging | undefined,
  { isNamed, all, scope }: Pick<Asked, 'isNamed' | 'all'> & Pick<Configuration, 'scope'>,
): Decision {
  const wrapped = wrappedWords(entry.words ?? []);
  if (wrapped === undefined) return leave('not wrapped');
  if (wrapped.server.length === 0) return leave(`it ${NO_SERVER}`);
  if (isNamed || all || scope === 'project' || belonging === undefined || belonging.kind === 'project') {
    return { action: 'change', warnings: [] };
  }
  return leave(`${belonging.reason}; name it, or use --all, to unwrap it too`);
}

function cannotChange({ words, url, problem }: ServerEntry): string | undefined {
  if (words !== undefined) return undefined;
  if (url !== undefined) return 'an HTTP server, which no command starts';
  return problem ?? 'it has no command';
}

function warningsOf({ keys }: ServerEntry): string[] {
  return keys.includes('dev')
    ? [
        'it has a "dev" key: VS Code would restart the proxy itself on a change, and attach its debugger to it; take "dev" out',
      ]
    : [];
}

function wrappedAlready({ gone, hasOptions }: Asked): string {
  if (gone.length === 0)
    return hasOptions ? 'wrapped already; unwrap it first to give it other options' : 'wrapped already';
  const files = `${gone.join(' and ')} ${gone.length === 1 ? 'is' : 'are'} gone`;
  return `wrapped already, and can't be started: ${files}. Unwrap it, and wrap it again`;
}

function leave(reason: string): Decision {
  return { action: 'leave', reason };
}
