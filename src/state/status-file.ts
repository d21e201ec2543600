/**
 * What a running proxy shows of itself in the state directory, for `mcp-hotline status`: `about.json`, so that the
 * directory can be found from the project's, and `proxy-<pid>.json` while it runs. Arguments are masked where they look
 * like keys, and the environment is never in it. Written as well as can be: a problem is told once, and nothing depends
 * on it (P14).
 */
import { readdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditLine } from './audit-trail.js';
import { sweepDrafts } from './temp-files.js';
import { isRunning } from './is-running.js';
import { readStateFile, writeWhole } from './state-file.js';

export interface About {
  readonly cwd: string;
  readonly command: string;
  /** Masked. */
  readonly args?: readonly string[];
}

/** How the server is now. */
export type ProxyHealth =
  /** `restarting`: after a crash. `closing`: the session ends. */
  | { readonly state: 'starting' | 'serving' | 'reloading' | 'restarting' | 'closing' }
  /** `reloading`: what failed is being tried again. */
  | {
      readonly state: 'failing' | 'reloading';
      /** Since when requests have been answered with a failure. */
      readonly since: string;
      /** What failed, and how. */
      readonly failure: string;
      /** The compiler's or the server's own words. */
      readonly output: string;
      /** When the next start is due, if one is. */
      readonly nextTry?: string;
    };

export interface Failed {
  readonly at: string;
  readonly event: string;
  readonly cause: string;
  /** When a server served again. */
  readonly mended?: string;
}

export interface RunningProxy extends About {
  readonly proxy: number;
  readonly since: string;
  /** Name and version, as the client gives them. */
  readonly client?: string;
  readonly health?: ProxyHealth;
  readonly generation?: number;
  /** The process id of the server, if it runs. */
  readonly server?: number | undefined;
  readonly lastReload?: { readonly at: string } & Partial<AuditLine>;
  readonly lastFailure?: Failed;
}

const ABOUT = 'about.json';
const ofProxy = /^proxy-(\d+)\.json$/;

export class Shown {
  readonly #dir: string;
  readonly #about: About;
  readonly #failed: (problem: string) => void;
  readonly #file: string;
  #now: RunningProxy;
  /** What is to be read there. */
  #text = '';
  /** A write is due that has not begun: it takes the newest text with it. */
  #waiting = false;
  #tail: Promise<void> | undefined;

  constructor(dir: string, about: About, failed: (problem: string) => void) {
    this.#dir = dir;
    this.#about = about;
    this.#failed = failed;
    this.#file = join(dir, `proxy-${process.pid}.json`);
    this.#now = { proxy: process.pid, since: new Date().toISOString(), ...about };
  }

  get now(): RunningProxy {
    return this.#now;
  }

  /** What is new; the rest stays. */
  show(news: Partial<RunningProxy>): void {
    this.#now = { ...this.#now, ...news };
    const text = `${JSON.stringify(this.#now)}\n`;
    if (text === this.#text) return;
    this.#text = text;
    if (this.#waiting) return;
    this.#waiting = true;
    this.#tail = (this.#tail ?? this.#introduce()).then(() => {
      this.#waiting = false;
      return this.#write(this.#file, this.#text);
    });
  }

  async close(): Promise<void> {
    if (this.#tail === undefined) return;
    await this.#tail;
    await rm(this.#file, { force: true }).catch(() => {});
  }

  async #introduce(): Promise<void> {
    await this.#write(join(this.#dir, ABOUT), `${JSON.stringify(this.#about)}\n`);
    // What a proxy left behind that was killed.
    await sweepDrafts(this.#dir);
    for (const [name, pid] of await proxyFiles(this.#dir)) {
      if (!isRunning(pid)) await rm(join(this.#dir, name), { force: true }).catch(() => {});
    }
  }

  async #write(file: string, text: string): Promise<void> {
    const written = await writeWhole(file, text);
    if (!written.ok) this.#failed(written.problem);
  }
}

/** The state directories below `root` that belong to commands run in `cwd`. */
export async function stateDirsOf(root: string, cwd: string): Promise<{ dir: string; about: About }[]> {
  const here = await realpath(cwd).catch(() => cwd);
  const names = await readdir(root).catch(() => []);
  const sorted = names.sort((a, b) => a.localeCompare(b));
  const found = await Promise.all(sorted.map((name) => aboutOf(join(root, name))));
  const real = await Promise.all(found.map((one) => realpath(one?.about.cwd ?? '').catch(() => one?.about.cwd)));
  return found.flatMap((one, at) => (one !== undefined && real[at] === here ? [one] : []));
}

export async function aboutOf(dir: string): Promise<{ dir: string; about: About } | undefined> {
  const about = (await readJson(join(dir, ABOUT))) as Partial<About> | undefined;
  if (typeof about?.cwd !== 'string' || typeof about.command !== 'string') return undefined;
  const args = Array.isArray(about.args) ? about.args.map(String) : [];
  return { dir, about: { cwd: about.cwd, command: about.command, args } };
}

/** The proxies that run now, oldest first. */
export async function runningProxies(dir: string): Promise<RunningProxy[]> {
  const files = (await proxyFiles(dir)).filter(([, pid]) => isRunning(pid));
  const all = await Promise.all(files.map(([name]) => readJson(join(dir, name))));
  return all
    .filter((one): one is RunningProxy => typeof (one as Partial<RunningProxy> | undefined)?.since === 'string')
    .map((one) => (one.server !== undefined && isRunning(one.server) ? one : { ...one, server: undefined }))
    .sort((a, b) => a.since.localeCompare(b.since));
}

async function proxyFiles(dir: string): Promise<[name: string, pid: number][]> {
  const names = await readdir(dir).catch(() => []);
  return names.flatMap((name): [string, number][] => {
    const pid = ofProxy.exec(name)?.[1];
    return pid === undefined ? [] : [[name, Number(pid)]];
  });
}

async function readJson(file: string): Promise<unknown> {
  try {
    const value: unknown = JSON.parse(await readStateFile(file));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
