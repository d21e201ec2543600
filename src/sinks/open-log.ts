// Puts a log and its destination together, so that what the destination says about itself has the log's format too.

import type { Writable } from 'node:stream';
import type { EventBus } from '../events/bus.js';
import { openLogDestination, type Destination } from './destination.js';
import { wantsColour } from './colour.js';
import { createLog, subscribeLog, type LogOptions } from './log.js';

export interface OpenLogOptions extends Pick<LogOptions, 'level' | 'format'> {
  file: string | undefined;
  stderr: Writable;
  env: NodeJS.ProcessEnv;
}

/** Logs the events of the bus from now on. Returns how to end that. */
export function openLog(events: EventBus, { level, format, file, stderr, env }: OpenLogOptions): Destination['close'] {
  if (level === 'silent') return async () => {};
  const colour = file === undefined && wantsColour(stderr, env);
  const notice = (text: string) => {
    let line = '';
    createLog({ level: 'warn', format, write: (made) => (line = made), colour })({
      level: 'warn',
      name: 'warning',
      text,
    });
    return line;
  };
  const destination = openLogDestination({ file, stderr, notice });
  const write = (line: string): void => destination.write(line);
  const log = subscribeLog(events, { level, format, write, colour, isFile: file !== undefined });
  return async (within) => {
    await destination.close(within);
    log[Symbol.dispose]();
  };
}
