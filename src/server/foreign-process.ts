/**
 * The process of a server that somebody else starts: nothing is known of it, it prints nothing here and is sent no
 * signal. It ends, for us, when it is left. Whether it can be reached is known to its channel.
 */
import { Readable } from 'node:stream';
import type { Exit } from '../process/child.js';
import type { ServerChild } from './server-process.js';

export function foreignProcess(): ServerChild {
  let leave: (exit: Exit) => void = () => {};
  const exited = new Promise<Exit>((resolve) => (leave = resolve));
  return {
    pid: undefined,
    stdin: null,
    stdout: Readable.from([]),
    stderr: Readable.from([]),
    exited,
    signal: (signal) => leave({ code: null, signal }),
    signalProcess: () => {},
  };
}
