// Computes the directory in which one project and command keep files that outlive a session. It only computes: the code
// that writes there creates the directory, and copes if that fails.

import { homedir, tmpdir } from 'node:os';
import path from 'node:path';

export interface StateDirOf {
  cwd: string;
  /** Without a command: what all commands of the project share. */
  command?: string;
  args?: readonly string[];
  env: NodeJS.ProcessEnv;
  platform?: NodeJS.Platform;
  home?: string;
}

export function stateDir({ cwd, command, args = [], env, platform = process.platform, home }: StateDirOf): string {
  const { basename, join } = platform === 'win32' ? path.win32 : path.posix;
  const key = digest(JSON.stringify(command === undefined ? [cwd] : [cwd, command, ...args]));
  const readable = basename(cwd)
    .replace(/[^\w.-]+/g, '-')
    .slice(0, 40);
  return join(userStateDir(env, platform, home ?? homeOf()), 'mcp-hotline', `${readable || 'root'}-${key}`);
}

/**
 * FNV-1a with two primes. The names only have to differ, and loading node:crypto takes as long as all other work before
 * the first spawn.
 */
function digest(text: string): string {
  let [one, two] = [0x811c9dc5, 0x811c9dc5];
  for (const byte of Buffer.from(text)) {
    one = Math.imul(one ^ byte, 0x01000193);
    two = Math.imul(two ^ byte, 0x5bd1e995);
  }
  return [one, two].map((sum) => (sum >>> 0).toString(16).padStart(8, '0')).join('');
}

function userStateDir(env: NodeJS.ProcessEnv, platform: NodeJS.Platform, home: string): string {
  if (platform === 'win32') return env['LOCALAPPDATA'] ?? path.win32.join(home, 'AppData', 'Local');
  const { isAbsolute, join } = path.posix;
  const xdg = env['XDG_STATE_HOME'] ?? '';
  if (isAbsolute(xdg)) return xdg; // the XDG specification has relative paths ignored
  return platform === 'darwin' ? join(home, 'Library', 'Application Support') : join(home, '.local', 'state');
}

// A user without an entry in the user database and without HOME has no home.
function homeOf(): string {
  try {
    return homedir();
  } catch {
    return path.join(tmpdir(), `mcp-hotline-${process.getuid?.() ?? 'user'}`);
  }
}
