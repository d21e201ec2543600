// A watched temporary directory for the tests of watch/: files in, changes out, all of it real. It waits for events
// with a deadline and never for time; what is expected of the changes is each test's business.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { System } from '#src/watch/system.js';
import { openWatch, type Mark, type Watch, type WatchOptions } from '#src/watch/watch.js';
import { cleanup } from '../support/cleanup.js';

const DEADLINE = 20_000;

export interface Watched {
  readonly dir: string;
  readonly watch: Watch;
  readonly warnings: { code: string; text: string }[];
  /** How often the debounce has ended. */
  readonly rings: () => number;
  path(name: string): string;
  write(name: string, text: string): void;
  /** Lets the events of what was just done arrive, as the proxy does before it forwards a request. */
  arrive(): Promise<void>;
  /** What has changed since the last time, as `kind path`. */
  changes(): Promise<string[]>;
  /** Until the debounce ends for the nth time. */
  rung(count: number): Promise<void>;
}

export type Options = Partial<Omit<WatchOptions, 'rules'>> & {
  paths?: readonly string[];
  rules?: WatchOptions['rules'];
  files?: Record<string, string>;
  dir?: string;
  /** Instead of the one that the tests run on. */
  system?: System;
};

export function temporary(t: TestContext): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'hotline-watch-')));
  cleanup(t, () => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export function put(dir: string, name: string, text: string): void {
  mkdirSync(dirname(join(dir, name)), { recursive: true });
  writeFileSync(join(dir, name), text);
}

export async function watched(t: TestContext, options: Options = {}): Promise<Watched> {
  const { paths = ['.'], rules = [{ name: 'main', paths }], files = {}, dir = temporary(t), system, ...rest } = options;
  for (const [name, text] of Object.entries(files)) put(dir, name, text);
  const warnings: Watched['warnings'] = [];
  const waiting: { count: number; done: () => void }[] = [];
  let rings = 0;
  const watch = openWatch(
    { cwd: dir, rules, ignore: [], ext: [], debounce: 20, poll: undefined, never: [], since: Date.now(), ...rest },
    {
      warn: (warning) => void warnings.push(warning),
      onQuiet() {
        rings++;
        for (const { count, done } of waiting) if (rings >= count) done();
      },
    },
    system,
  );
  cleanup(t, () => watch.close());
  await watch.ready;
  let mark: Mark = watch.mark();

  return {
    dir,
    watch,
    warnings,
    rings: () => rings,
    path: (name) => join(dir, name),
    write: (name, text) => put(dir, name, text),
    arrive,
    async changes() {
      await arrive();
      await watch.check();
      const changes = watch.changedSince(mark).map(({ kind, path }) => `${kind} ${path}`);
      watch.release(mark);
      mark = watch.mark();
      return changes;
    },
    rung: (count) =>
      within(
        new Promise<void>((done) => (rings >= count ? done() : waiting.push({ count, done }))),
        () => `the debounce ended ${rings} times, ${count} expected`,
      ),
  };
}

export async function arrive(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

export async function within<T>(promise: Promise<T>, complaint: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(complaint())), DEADLINE);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Everything that a fingerprint covers, seen from outside: what is added, changed or removed changes it. */
export async function expectUnchanged(w: Watched, act: () => void | Promise<void>): Promise<void> {
  const before = w.watch.fingerprint('main');
  await act();
  assert.deepEqual(await w.changes(), []);
  assert.equal(w.watch.fingerprint('main'), before);
}
