/**
 * Puts the simulated kernel under the real program: while a simulation runs, Node's timers, clock, processes and files
 * below one directory are the simulation's. The modules of the program are the ones that ship; they notice nothing.
 * Everything is put back afterwards.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { Disk } from './disk.js';
import type { Kernel, Timer } from './kernel.js';
import { patchNetwork } from './net-patches.js';
import type { Network } from './network.js';
import type { Processes } from './processes.js';

type Members = Record<string, unknown>;

/** What stands for 1 January 1970 plus the clock. */
const EPOCH = 1_700_000_000_000;

const load = createRequire(import.meta.url);
const timersPromises = load('node:timers/promises') as Members;
const childProcess = load('node:child_process') as Members;
const crypto = load('node:crypto') as Members;
const fsPromises = load('node:fs/promises') as Members;
const fs = load('node:fs') as Members;

/** Returns what undoes it. */
export function patch(kernel: Kernel, processes: Processes, disk: Disk, network: Network): () => void {
  const undo: (() => void)[] = [];
  const replace = (target: object, name: string, value: unknown): void => {
    const before = Object.getOwnPropertyDescriptor(target, name);
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
    undo.push(() => {
      if (before === undefined) delete (target as Members)[name];
      else Object.defineProperty(target, name, before);
    });
  };
  replace(performance, 'now', () => kernel.now());
  const RealDate = Date;
  const now = (): number => EPOCH + Math.floor(kernel.time);
  class SimulatedDate extends RealDate {
    constructor(...given: []) {
      if (given.length === 0) super(now());
      else super(...given);
    }

    static override now = now;
  }
  replace(globalThis, 'Date', SimulatedDate);
  replace(globalThis, 'setImmediate', (run: (...given: unknown[]) => void, ...given: unknown[]) =>
    kernel.immediate(() => run(...given)),
  );
  replace(globalThis, 'setTimeout', (run: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) =>
    kernel.timer(ms, () => run(...given)),
  );
  replace(globalThis, 'setInterval', (run: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) =>
    kernel.interval(ms, () => run(...given)),
  );
  for (const name of ['clearTimeout', 'clearInterval'])
    replace(globalThis, name, (timer: Timer | undefined) => timer && kernel.clear(timer));
  replace(timersPromises, 'setTimeout', delayOf(kernel));
  replace(timersPromises, 'setImmediate', () => new Promise<void>((resolve) => kernel.immediate(resolve)));
  replace(AbortSignal, 'timeout', (ms: number) => {
    const over = new AbortController();
    kernel.timer(ms, () => over.abort());
    return over.signal;
  });
  patchNetwork(network, replace);
  replace(childProcess, 'spawn', processes.spawn);
  replace(process, 'kill', processes.kill(process.kill.bind(process)));
  // Every abort makes an exception with a trace that nobody reads: half of all the time.
  replace(Error, 'stackTraceLimit', 0);
  // Neighbours in memory are written as one, and who is whose neighbour must not depend on earlier runs.
  replace(Buffer, 'poolSize', 0);
  let count = 0;
  replace(crypto, 'randomBytes', (size: number) => Buffer.alloc(size, count++ < 255 ? count : `${count}`));
  replace(crypto, 'randomUUID', () => `uuid-${++count}`);
  for (const [name, simulated] of Object.entries(disk.promises)) replace(fsPromises, name, simulated);
  // These are Node's own as well: only what is the simulation's goes there.
  for (const [name, simulated] of Object.entries(disk.sync)) {
    const real = fs[name] as (...given: unknown[]) => unknown;
    replace(fs, name, (...given: unknown[]) =>
      String(given[0]).startsWith('/sim') ? (simulated as typeof real)(...given) : real(...given),
    );
  }
  syncBuiltinESMExports();
  return () => {
    for (const back of undo.toReversed()) back();
    syncBuiltinESMExports();
  };
}

interface DelayOptions {
  readonly signal?: AbortSignal;
}

function delayOf(kernel: Kernel) {
  return <T>(ms: number, value?: T, { signal }: DelayOptions = {}): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      const aborted = (): void => {
        kernel.clear(timer);
        reject(new DOMException('The operation was aborted', 'AbortError'));
      };
      if (signal?.aborted === true) return reject(new DOMException('The operation was aborted', 'AbortError'));
      const timer = kernel.timer(ms, () => {
        signal?.removeEventListener('abort', aborted);
        resolve(value);
      });
      signal?.addEventListener('abort', aborted, { once: true });
    });
}
