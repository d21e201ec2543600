/**
 * Ends servers whose proxy was killed and could not do it (`kill -9`). Their stdin ends then, and most of them leave;
 * one that never reads its stdin would stay for ever. A small shell learns over a pipe which process groups there are.
 * When the pipe ends without their having been taken back, it gives them time to leave, then signals them. Not on
 * Windows, and not where there is no `sh`: nothing depends on it.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

/** A spawn makes the event loop stand still for some milliseconds: not while the first server starts. */
const START_AFTER_MS = 5000;

/** Lines `+ group` and `- group`. A group that is gone is not there to be signalled, which is no error that matters. */
const SCRIPT = `groups=
while read -r sign group; do
  rest=
  for each in $groups; do [ "$each" = "$group" ] || rest="$rest $each"; done
  if [ "$sign" = + ]; then groups="$rest $group"; else groups=$rest; fi
done
[ -n "$groups" ] || exit 0
sleep 2
for group in $groups; do kill -s TERM -- "-$group"; done
sleep 2
for group in $groups; do kill -s KILL -- "-$group"; done`;

export class OrphanGuard {
  readonly #groups = new Set<number>();
  readonly #closed = new AbortController();
  #shell: ChildProcess | undefined;
  #begun = false;

  /** A server was started as the leader of this process group. */
  add(group: number): void {
    this.#groups.add(group);
    this.#tell('+', group);
    if (!this.#begun) void this.#begin();
  }

  /** It has ended. */
  remove(group: number): void {
    this.#groups.delete(group);
    this.#tell('-', group);
  }

  /** Whoever goes by itself has ended its servers: the shell has nothing to do and goes too. */
  close(): void {
    this.#closed.abort();
    for (const group of this.#groups) this.#tell('-', group);
    this.#shell?.stdin?.end();
  }

  async #begin(): Promise<void> {
    this.#begun = true;
    if (process.platform === 'win32') return;
    const signal = this.#closed.signal;
    const isOver = await delay(START_AFTER_MS, false, { signal, ref: false }).catch(() => true);
    if (isOver) return;
    // A session of its own, so that it outlives what ends the proxy; nothing of the client's environment or pipes.
    const shell = spawn('/bin/sh', ['-c', SCRIPT], {
      detached: true,
      env: { PATH: process.env['PATH'] },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    shell.on('error', () => {});
    shell.stdin.on('error', () => {});
    shell.unref();
    (shell.stdin as unknown as { unref?(): void }).unref?.();
    this.#shell = shell;
    for (const group of this.#groups) this.#tell('+', group);
  }

  #tell(sign: '+' | '-', group: number): void {
    if (this.#shell?.stdin?.writable === true) this.#shell.stdin.write(`${sign} ${group}\n`);
  }
}
