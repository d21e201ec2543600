/**
 * The simulated disk. Two parts: the sources, a few files whose content is a number each, with the watch that the
 * program believes to be looking at them; and the state directory, files in memory behind Node's own functions. It can
 * be full.
 */
import { EventEmitter } from 'node:events';
import { createDebouncer } from '#src/watch/debounce.js';
import { createSingleFlight } from '#src/watch/single-flight.js';
import { createContentIndex } from '#src/watch/content-index.js';
import type { Watch, WatchCallbacks, WatchOptions } from '#src/watch/types.js';
import type { Kernel } from './kernel.js';

export type File = 'main.js' | 'lists.js' | 'other.js' | 'settings.json' | 'notes.json';
/** The notes are nobody's code: servers write them. */
const FILES: readonly File[] = ['main.js', 'lists.js', 'other.js', 'settings.json', 'notes.json'];
/** What makes the code that a server runs; settings are read again while it runs. */
export const CODE: readonly File[] = ['main.js', 'lists.js', 'other.js'];

/** The content of every file: one state of the sources. */
export type Contents = Readonly<Record<File, number>>;

export class Disk {
  readonly #kernel: Kernel;
  /** Every state that the sources have been in, oldest first. */
  readonly states: Contents[] = [{ 'main.js': 0, 'lists.js': 0, 'other.js': 0, 'settings.json': 0, 'notes.json': 0 }];
  readonly #savedAt = new Map<File, number>();
  readonly #saves = new Map<File, number>();
  readonly #watches = new Set<(file: File) => void>();
  /** What the last build has made; undefined if it has left nothing that runs. */
  output: Contents | undefined;
  full = false;
  /** The program has said that it can't tell edits from outputs. */
  isGuessedAt = false;
  slow = 0;
  polls = false;
  readonly #files = new Map<string, string>();

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  get now(): Contents {
    return this.states.at(-1) as Contents;
  }

  save(file: File, content: number): void {
    if (this.now[file] !== content) this.states.push({ ...this.now, [file]: content });
    this.#savedAt.set(file, Date.now());
    this.#saves.set(file, (this.#saves.get(file) ?? 0) + 1);
    if (!this.polls) for (const stir of this.#watches) this.#kernel.input('watch', 0, () => stir(file), true);
  }

  /** When one of these was last saved, by the clock of files. */
  savedAt(files: readonly File[] = FILES): number {
    return Math.max(0, ...files.map((file) => this.#savedAt.get(file) ?? 0));
  }

  /** Takes the place of watch/watch.ts: the same bookkeeping, of simulated files. */
  readonly openWatch = (options: WatchOptions, callbacks: WatchCallbacks): Watch => {
    const rulesOf = (file: File): string[] =>
      options.rules.filter(({ paths }) => paths.includes(file)).map(({ name }) => name);
    const contents = createContentIndex();
    const pending = new Set<File>();
    let ready = false;
    const look = (file: File): void => {
      const digest = String(this.now[file]);
      const changed = this.#saves.get(file) ?? 0;
      contents.set(file, { digest, changed, rules: rulesOf(file), size: 0, ctime: 0, ino: 0 });
    };
    const debouncer = createDebouncer(options.debounce, () => pending.size > 0 && callbacks.onQuiet());
    const stir = (file: File): void => {
      if (rulesOf(file).length === 0) return;
      pending.add(file);
      debouncer.trigger();
    };
    this.#watches.add(stir);
    const processDirty = async (): Promise<void> => {
      for (let round = 0; round < 8 && pending.size > 0; round++) {
        const batch = [...pending];
        pending.clear();
        await this.#latency();
        const before = contents.version;
        for (const file of batch) look(file);
        if (contents.version === before) callbacks.unchanged?.(batch);
      }
    };
    const singleFlight = createSingleFlight(() => pending.size > 0, processDirty);
    const baseline = async (): Promise<void> => {
      await Promise.resolve();
      await this.#wait(1 + this.#kernel.random.below(30));
      for (const file of FILES) {
        if (rulesOf(file).length === 0) continue;
        look(file);
        if ((this.#savedAt.get(file) ?? -1) >= options.since) contents.setUnknownBaseline(file, rulesOf(file));
      }
      contents.endBaseline();
      ready = true;
      await processDirty();
    };
    const sweep = (): void => {
      for (const file of FILES) if (rulesOf(file).length > 0) pending.add(file);
    };
    const everySoOften = (): void => {
      if (!this.#watches.has(stir)) return;
      for (const file of FILES) if (contents.get(file)?.digest !== String(this.now[file])) stir(file);
      this.#kernel.timer(options.poll ?? 0, everySoOften);
    };
    if (options.poll !== undefined) everySoOften();
    return {
      get dirty() {
        return pending.size > 0 || singleFlight.isRunning || !ready;
      },
      get saves() {
        return contents.saves;
      },
      needsSweep: options.poll !== undefined,
      ready: singleFlight.first(baseline),
      check: () => {
        if (options.poll !== undefined) sweep();
        return singleFlight.run();
      },
      sweep: () => {
        sweep();
        return singleFlight.run();
      },
      // Simulated saves are done at once.
      findEmptied: () => Promise.resolve(),
      mark: contents.mark,
      release: contents.release,
      changedSince: contents.changedSince,
      touchedSince: contents.touchedSince,
      fingerprint: (rule) =>
        FILES.filter((file) => rulesOf(file).includes(rule))
          .map((f) => contents.get(f)?.digest ?? '')
          .join(' '),
      prepare: () => this.#latency(),
      // The simulated project has no data files, so nothing is taken for the server's.
      accept: () => {},
      acceptFor: (mark, paths, since) => {
        for (const path of paths) contents.acceptFor(mark, path, since);
      },
      distrust: () => {},
      changedAt: (path) => this.#savedAt.get(path as File),
      close: async () => {
        this.#watches.delete(stir);
        debouncer.clear();
        await singleFlight.idle();
      },
    };
  };

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#kernel.timer(ms, resolve));
  }

  async #latency(): Promise<void> {
    if (this.slow > 0) await this.#wait(this.#kernel.random.below(this.slow) + 1);
  }

  async #put(path: string, content: string): Promise<void> {
    await this.#latency();
    this.#putNow(path, content);
  }

  #putNow(path: string, content: string): void {
    if (this.full) throw problem('ENOSPC');
    this.#files.set(path, content);
  }

  #get(path: string): string {
    const content = this.#files.get(path);
    if (content === undefined) throw problem('ENOENT');
    return content;
  }

  readonly promises = {
    mkdir: () => this.#latency(),
    readFile: async (path: string) => {
      await this.#latency();
      return this.#get(path);
    },
    writeFile: (path: string, content: string | Buffer) => this.#put(path, content.toString()),
    rename: async (from: string, to: string) => {
      await this.#latency();
      this.#files.set(to, this.#get(from));
      this.#files.delete(from);
    },
    rm: async (path: string) => {
      await this.#latency();
      this.#files.delete(path);
    },
    unlink: async (path: string) => {
      await this.#latency();
      this.#get(path);
      this.#files.delete(path);
    },
    link: async (from: string, to: string) => {
      await this.#latency();
      if (this.#files.has(to)) throw problem('EEXIST');
      this.#files.set(to, this.#get(from));
    },
    access: () => Promise.resolve(),
    realpath: (path: string) => Promise.resolve(path),
    readdir: (path: string) =>
      Promise.resolve(
        [...this.#files.keys()]
          .filter((file) => file.startsWith(`${path}/`))
          .map((file) => file.slice(path.length + 1)),
      ),
    stat: (path: string) => Promise.resolve({ size: this.#files.get(path)?.length ?? 0, isFile: () => true }),
    open: async (path: string) => {
      await this.#latency();
      const text = (): string => this.#files.get(path) ?? '';
      return {
        appendFile: (line: string) => this.#put(path, text() + line),
        stat: () => Promise.resolve({ size: text().length, isFile: () => true }),
        read: (buffer: Buffer) => {
          buffer.write(text().slice(-1));
          return Promise.resolve({ buffer });
        },
        close: () => this.#latency(),
      };
    },
  };

  readonly sync = {
    mkdirSync: () => undefined,
    existsSync: () => true,
    writeFileSync: (path: string, content: string | Buffer) => this.#putNow(path, content.toString()),
    renameSync: (from: string, to: string) => {
      this.#files.set(to, this.#get(from));
      this.#files.delete(from);
    },
    rmSync: (path: string) => void this.#files.delete(path),
    watch: () => {
      throw problem('ENOSPC');
    },
    createWriteStream: () => new Sink(),
  };
}

/** As much of a file's stream as the output of a build needs. */
class Sink extends EventEmitter {
  closed = false;

  write(_chunk: Buffer, done: () => void): boolean {
    queueMicrotask(done);
    return true;
  }

  end(): void {
    queueMicrotask(() => {
      this.closed = true;
      this.emit('close');
    });
  }
}

function problem(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** The code alone, as one word. */
export function codeOf(contents: Contents): string {
  return CODE.map((file) => contents[file]).join('.');
}
