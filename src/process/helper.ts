/**
 * A second process of this program that can outlive the first: a Node process in a session of its own, with a channel
 * for messages and no other stream. It knows neither what the messages say nor when the helper should end.
 */
import { spawn, type SpawnOptions } from 'node:child_process';

export interface Helper {
  readonly pid: number;
  /** Resolves when the helper has exited. */
  readonly exited: Promise<void>;
  /** Resolves when the operating system has taken the message; false if the helper can't be reached any more. */
  send(message: object): Promise<boolean>;
  onMessage(listener: (message: unknown) => void): void;
  /** Closes the channel: the helper sees that nobody waits for it. */
  disconnect(): void;
  /** Lets this process end before the helper does. The channel stays open until then. */
  unref(): void;
  kill(): void;
}

/**
 * `detached` is a session of its own on POSIX systems, out of reach of signals to the client's process group. On
 * Windows it keeps the helper out of the job object that ends the children of a process with it, and would open a
 * console window.
 */
const OPTIONS: SpawnOptions = {
  detached: true,
  windowsHide: true,
  stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
};

/** `args`: what Node is given, the file first. Undefined if no process can be started. */
export function startHelper(args: readonly string[]): Helper | undefined {
  const child = spawn(process.execPath, args, OPTIONS);
  const { pid } = child;
  // Errors of the channel say nothing that the exit doesn't.
  child.on('error', () => {});
  if (pid === undefined) return undefined;
  return {
    pid,
    exited: new Promise((resolve) => child.once('exit', () => resolve())),
    send: (message) =>
      new Promise((resolve) => {
        if (child.connected) child.send(message, (error) => resolve(error === null));
        else resolve(false);
      }),
    onMessage: (listener) => void child.on('message', listener),
    disconnect: () => {
      if (child.connected) child.disconnect();
    },
    unref: () => {
      child.unref();
      child.channel?.unref();
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
