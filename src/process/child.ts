/**
 * One OS process in a process group of its own: how it is started, signalled and awaited. It knows no MCP and no
 * policy; when to stop a process, and how patiently, is for terminate.ts and its callers to say.
 */
import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import spawn from 'cross-spawn';

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ChildSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: 'pipe' | 'ignore';
}

export interface Child {
  readonly pid: number;
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /**
   * Settles on `exit`, not on `close`: a grandchild may hold the pipes for ever. The rest of the group is dead by then.
   */
  readonly exited: Promise<Exit>;
  /** To the whole group. A group that is gone already is no error. */
  signal(name: NodeJS.Signals): void;
  /** To the process alone. */
  signalProcess(name: NodeJS.Signals): void;
}

export type Launch = { ok: true; child: Child } | { ok: false; error: NodeJS.ErrnoException };

const windows = process.platform === 'win32';

export function launch(spec: ChildSpec): Promise<Launch> {
  return new Promise((resolve) => {
    let proc: ChildProcess;
    try {
      proc = spawn(spec.command, [...spec.args], {
        cwd: spec.cwd,
        env: spec.env,
        stdio: [spec.stdin, 'pipe', 'pipe'],
        detached: !windows,
        windowsHide: true,
      });
    } catch (error) {
      resolve({ ok: false, error: error as NodeJS.ErrnoException });
      return;
    }
    let child: Child | undefined;
    proc.on('error', (error: NodeJS.ErrnoException) => {
      // Later errors (a signal that could not be sent) say nothing that `exit` doesn't.
      if (child === undefined) resolve({ ok: false, error });
    });
    // A pid means that the process exists: no need to wait a turn for `spawn`, and none of its first bytes are missed.
    if (proc.pid !== undefined) {
      child = childOf(proc, proc.pid);
      resolve({ ok: true, child });
    }
  });
}

function childOf(proc: ChildProcess, pid: number): Child {
  let gone = false;
  const signal = (name: NodeJS.Signals): void => {
    if (gone) return;
    signalGroup(pid, name);
  };
  const exited = new Promise<Exit>((resolve) => {
    proc.once('exit', (code, by) => {
      signalGroup(pid, 'SIGKILL');
      gone = true;
      resolve({ code, signal: by });
    });
  });
  for (const stream of [proc.stdin, proc.stdout, proc.stderr]) stream?.on('error', ignoreBrokenPipe);
  return {
    pid,
    stdin: proc.stdin,
    stdout: proc.stdout as Readable,
    stderr: proc.stderr as Readable,
    exited,
    signal,
    signalProcess: (name) => void (gone || proc.kill(name)),
  };
}

/** EPIPE and ECONNRESET on a dying process's pipes: its exit is the event that counts. */
function ignoreBrokenPipe(): void {}

/** For the group of a process that was started by another one, which is gone. */
export function endGroup(pid: number): void {
  signalGroup(pid, 'SIGKILL');
}

function signalGroup(pid: number, name: NodeJS.Signals): void {
  if (windows) {
    if (name === 'SIGKILL' || name === 'SIGTERM')
      spawn('taskkill', ['/pid', String(pid), '/T', '/F']).on('error', () => {});
    return;
  }
  try {
    process.kill(-pid, name);
  } catch {
    // ESRCH: nobody is left in the group.
  }
}
