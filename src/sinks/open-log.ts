// Puts a log and its destination together, so that what the destination says about itself has the log's format too.

import type { Writable } from 'node:stream';
import { openLogDestination, type Destination } from './destination.js';
import { createLog, wantsColour, type Log, type LogOptions } from './log.js';

export interface OpenLogOptions extends Pick<LogOptions, 'level' | 'format'> {
  file: string | undefined;
  stderr: Writable;
  env: NodeJS.ProcessEnv;
}

export function openLog({ level, format, file, stderr, env }: OpenLogOptions): {
  log: Log;
  close: Destination['close'];
} {
  if (level === 'silent') return { log: createLog({ level, format, write: () => {} }), close: async () => {} };
  const colour = file === undefined && wantsColour(stderr, env);
  const notice = (text: string) => {
    let line = '';
    createLog({ level: 'warn', format, write: (made) => (line = made), colour }).warn('warning', text);
    return line;
  };
  const destination = openLogDestination({ file, stderr, notice });
  return { log: createLog({ level, format, write: destination.write, colour }), close: destination.close };
}
