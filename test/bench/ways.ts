// The ground that the benchmark runs on: a scratch directory with trees to watch and a project to edit, and the command
// lines by which one and the same server is reached. Running them is left to connection.ts and client.ts.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Arguments of Node, and where and how to run it. */
export interface Way {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/**
 * `apart`: the pipe, with the server in a session of its own. `plain` only forwards (--no-reload); `watching` has a
 * thousand files to watch; `unchecked` has them too, and forwards without making sure that none has changed
 * (`--while-reloading serve`).
 */
export type WayName = 'direct' | 'pipe' | 'apart' | 'plain' | 'watching' | 'unchecked';

export interface Ground {
  readonly scratch: string;
  /** The program that is measured. */
  readonly bin: string;
  /** Another one, from HTTP to stdio, that is measured beside it: the script of supergateway. */
  readonly gateway: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** A directory of so many files, 1 kB each, twenty a directory. */
  tree(files: number): Promise<string>;
  /** The ways to the echoing server. */
  ways(): Promise<Readonly<Record<WayName, Way>>>;
  /** Node itself. */
  node(args: readonly string[], cwd?: string): Way;
  /** The proxy before a server. */
  proxy(options: readonly string[], server: readonly string[], cwd?: string): Way;
  remove(): Promise<void>;
}

const root = new URL('../../../', import.meta.url);
const shipped = fileURLToPath(new URL('bin/mcp-hotline.js', root));
const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/servers/${name}.mjs`, root));
export const echo = fixture('bench-echo');
/** One that speaks HTTP itself. */
export const benchHttp = fixture('bench-http');
/** Servers that say what the `version.mjs` of their working directory says. */
export const versions = { bare: fixture('bench-versions'), sdk: fixture('bench-versions-sdk') } as const;
const pipe = fileURLToPath(new URL('pipe.js', import.meta.url));

/** `bin`: another program in the proxy's place. */
export async function prepareGround(bin = shipped, gateway?: string): Promise<Ground> {
  const scratch = await mkdtemp(join(tmpdir(), 'hotline-bench-'));
  const trees = new Map<number, Promise<string>>();
  const env: NodeJS.ProcessEnv = { ...process.env, XDG_STATE_HOME: join(scratch, 'state') };
  // Where it is set, Node 20 spends 60 ms more on every start.
  delete env['NODE_EXTRA_CA_CERTS'];
  const node: Ground['node'] = (args, cwd = scratch) => ({ args, env, cwd });
  const proxy: Ground['proxy'] = (options, server, cwd) =>
    node([bin, ...options, '--', process.execPath, ...server], cwd);
  const tree = (files: number): Promise<string> => {
    const made = trees.get(files) ?? writeTree(join(scratch, `tree-${files}`), files);
    trees.set(files, made);
    return made;
  };
  return {
    scratch,
    bin,
    gateway,
    env,
    node,
    proxy,
    tree,
    ways: async () => ({
      direct: node([echo]),
      pipe: node([pipe, process.execPath, echo]),
      apart: node([pipe, '--apart', process.execPath, echo]),
      plain: proxy(['--no-reload'], [echo]),
      watching: proxy(['--watch', await tree(1000)], [echo]),
      unchecked: proxy(['--watch', await tree(1000), '--while-reloading', 'serve'], [echo]),
    }),
    remove: () => rm(scratch, { recursive: true, force: true }),
  };
}

async function writeTree(directory: string, count: number): Promise<string> {
  for (let number = 0; number < count; number += 1) {
    const folder = join(directory, String(Math.floor(number / 20)));
    if (number % 20 === 0) await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${number % 20}.js`), `// ${number}\n`.repeat(100));
  }
  return directory;
}
