/**
 * The status file of a running proxy, for `mcp-hotline status`. `about.json` leads from the project's directory to its
 * state directory, and `proxy-<pid>.json` is there while the proxy runs, with one entry for each client session.
 * Arguments that look like keys are masked by the caller, and the environment is never written. A write that fails is
 * reported, and nothing depends on it (P14, safe files). A file of another layout is ignored.
 */
import { readdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transport } from '../channel/transport.js';
import type { AuditLine } from './audit-trail.js';
import { removeStaleTempFiles } from './temp-files.js';
import { isRunning } from './is-running.js';
import { readStateFile, writeAtomically } from './state-file.js';

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

/** The server of one client session. */
export interface SessionStatus {
  /** Name and version, as the client gives them. */
  readonly client?: string;
  readonly transport?: Transport;
  readonly health?: ProxyHealth;
  readonly generation?: number;
  /** The process id of the server, if it runs. */
  readonly server?: number | undefined;
  readonly lastReload?: { readonly at: string } & Partial<AuditLine>;
  readonly lastFailure?: Failed;
  /** Calls that the server has left without an answer or progress for long. */
  readonly silentCalls?: readonly { readonly tool: string; readonly generation: number; readonly since: string }[];
}

/** A proxy that runs, and one of its sessions: a proxy with several is listed once for each. */
export interface RunningProxy extends About, SessionStatus {
  readonly proxy: number;
  readonly since: string;
  /** Where it serves clients over HTTP. */
  readonly http?: { readonly url: string };
  /** Tells the sessions of one proxy apart, if it has several. */
  readonly session?: string;
}

/** The status file as it is written. */
interface Layout extends About {
  readonly proxy: number;
  readonly since: string;
  readonly http?: { readonly url: string };
  readonly sessions: Readonly<Record<string, SessionStatus>>;
}

/** The key of what concerns all sessions of the proxy, or the only one. */
export const ALL_SESSIONS = 'all';

const ABOUT = 'about.json';
const PROXY_FILE = /^proxy-(\d+)\.json$/;

export class StatusFile {
  readonly #dir: string;
  readonly #about: About;
  readonly #onProblem: (problem: string) => void;
  readonly #file: string;
  readonly #since = new Date().toISOString();
  readonly #sessions = new Map<string, SessionStatus>();
  #http: { readonly url: string } | undefined;
  /** The newest content of the file. */
  #text = '';
  /** A write that has not begun yet is queued. It will take the newest text. */
  #isQueued = false;
  #tail: Promise<void> | undefined;

  constructor(dir: string, about: About, onProblem: (problem: string) => void) {
    this.#dir = dir;
    this.#about = about;
    this.#onProblem = onProblem;
    this.#file = join(dir, `proxy-${process.pid}.json`);
  }

  /** What the file says of a session. */
  session(id: string): SessionStatus {
    return this.#sessions.get(id) ?? {};
  }

  has(id: string): boolean {
    return this.#sessions.has(id);
  }

  /** Clients are served over HTTP there. */
  listening(url: string): void {
    this.#http = { url };
    this.#save();
  }

  /** Sets the members that are given and keeps the others. */
  update(id: string, news: Partial<SessionStatus>): void {
    this.#sessions.set(id, { ...this.#sessions.get(id), ...news });
    this.#save();
  }

  /** The session has ended. */
  remove(id: string): void {
    if (this.#sessions.delete(id)) this.#save();
  }

  async close(): Promise<void> {
    if (this.#tail === undefined) return;
    await this.#tail;
    await rm(this.#file, { force: true }).catch(() => {});
  }

  #save(): void {
    const sessions = Object.fromEntries(this.#sessions);
    const http = this.#http === undefined ? {} : { http: this.#http };
    const layout: Layout = { proxy: process.pid, since: this.#since, ...this.#about, ...http, sessions };
    const text = `${JSON.stringify(layout)}\n`;
    if (text === this.#text) return;
    this.#text = text;
    if (this.#isQueued) return;
    this.#isQueued = true;
    this.#tail = (this.#tail ?? this.#open()).then(() => {
      this.#isQueued = false;
      return this.#write(this.#file, this.#text);
    });
  }

  /** Writes `about.json`, and removes the files of proxies that were killed. */
  async #open(): Promise<void> {
    await this.#write(join(this.#dir, ABOUT), `${JSON.stringify(this.#about)}\n`);
    await removeStaleTempFiles(this.#dir);
    for (const [name, pid] of await proxyFiles(this.#dir)) {
      if (!isRunning(pid)) await rm(join(this.#dir, name), { force: true }).catch(() => {});
    }
  }

  async #write(file: string, text: string): Promise<void> {
    const written = await writeAtomically(file, text);
    if (!written.ok) this.#onProblem(written.problem);
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

/** The proxies that run now, oldest first, each with its sessions. */
export async function runningProxies(dir: string): Promise<RunningProxy[]> {
  const files = (await proxyFiles(dir)).filter(([, pid]) => isRunning(pid));
  const all = await Promise.all(files.map(([name]) => readJson(join(dir, name))));
  return all
    .filter(isLayout)
    .sort((a, b) => a.since.localeCompare(b.since))
    .flatMap(sessionsOf);
}

/** A proxy of another version may have left something else there. */
function isLayout(value: unknown): value is Layout {
  const { since, sessions } = (value ?? {}) as Partial<Layout>;
  return typeof since === 'string' && typeof sessions === 'object' && sessions !== null;
}

function sessionsOf({ sessions, ...proxy }: Layout): RunningProxy[] {
  const { [ALL_SESSIONS]: shared, ...named } = sessions;
  const own = Object.entries(named);
  // A session without a server of its own is served by the one that all share.
  const all = own.map(([session, status]) => [session, hasServer(status) ? status : { ...shared, ...status }] as const);
  const isListed = shared !== undefined && (shared.client !== undefined || own.every(([, one]) => hasServer(one)));
  const listed = isListed ? [[ALL_SESSIONS, shared] as const, ...all] : all;
  if (listed.length === 0) return [{ ...proxy, server: undefined }];
  return listed.map(([session, { server, ...status }]) => ({
    ...proxy,
    ...(listed.length > 1 ? { session } : {}),
    ...status,
    server: server !== undefined && isRunning(server) ? server : undefined,
  }));
}

function hasServer({ health, generation }: SessionStatus): boolean {
  return health !== undefined || generation !== undefined;
}

async function proxyFiles(dir: string): Promise<[name: string, pid: number][]> {
  const names = await readdir(dir).catch(() => []);
  return names.flatMap((name): [string, number][] => {
    const pid = PROXY_FILE.exec(name)?.[1];
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
