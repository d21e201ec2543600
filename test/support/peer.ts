// A client at line level around one real process: the conversation, what the process prints on stderr, and its end.
// Starting the proxy or a server with it is harness.ts's part.

import { once } from 'node:events';
import { converse } from './conversation.js';
import type { Conversation } from './conversation.js';
import { startLineProcess } from './line-process.js';
import type { Exit, LineProcess } from './line-process.js';
import { createTranscript } from './transcript.js';
import { createWaits, deferred } from './waits.js';
import type { WaitOptions } from './waits.js';

export interface PeerOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Leaves stdout unread: the test reads `child.stdout` itself. */
  unread?: boolean;
}

export interface Peer extends Conversation {
  readonly pid: number;
  readonly child: LineProcess['child'];
  /** Resolves with the first line on stderr that matches. */
  waitForLog(pattern: RegExp | string, options?: WaitOptions): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  /** On exit, whatever its pipes do. Has no deadline of its own: for races. */
  readonly exited: Promise<Exit>;
  /** The same, within the deadline. */
  exit(options?: WaitOptions): Promise<Exit>;
  /** On exit and with both pipes read to their end, within the deadline. */
  finished(options?: WaitOptions): Promise<Exit>;
  stderr(): string;
  stderrBytes(): Buffer;
}

export function openPeer(argv: readonly string[], { cwd, env, unread = false }: PeerOptions): Peer {
  const transcript = createTranscript(`transcript of ${argv.join(' ')}`);
  const story = () => transcript.print();
  const log = createWaits<string>(story);
  const stderr: Buffer[] = [];

  const started = startLineProcess(argv, {
    cwd,
    env,
    detached: true,
    onLogLine(raw) {
      transcript.add('!', raw);
      log.offer(raw.toString());
    },
  });
  const { child, exited } = started;
  child.once('exit', (code, signal) => transcript.add('!', Buffer.from(`exit: code ${code}, signal ${signal}`)));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  child.stderr.once('close', () => {
    const rest = started.log.rest();
    if (rest.length > 0) log.offer(rest.toString());
    log.end('stderr has ended');
  });
  const closed = Promise.all([exited, once(child.stdout, 'close'), once(child.stderr, 'close')]);
  closed.catch(() => {});

  const within = (outcome: Promise<Exit>, what: string, { deadline }: WaitOptions = {}) => {
    const done = deferred<Exit>(`waiting for ${what}`, story, deadline);
    outcome.then(done.resolve, (error: unknown) => done.reject(String(error)));
    return done.promise;
  };

  return {
    ...converse(child, transcript, { unread }),
    pid: child.pid ?? -1,
    child,
    waitForLog: (pattern, wait) =>
      log.wait(
        (line) => (typeof pattern === 'string' ? line.includes(pattern) : pattern.test(line)),
        `${pattern} on stderr`,
        wait,
      ),
    kill: (signal) => void child.kill(signal),
    exited,
    exit: (wait) => within(exited, 'the end of the process', wait),
    finished: (wait) =>
      within(
        closed.then(([exit]) => exit),
        'the end of the process and its pipes',
        wait,
      ),
    stderr: () => Buffer.concat(stderr).toString(),
    stderrBytes: () => Buffer.concat(stderr),
  };
}
