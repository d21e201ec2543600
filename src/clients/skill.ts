// Copies the skill for agents (skills/mcp-hotline/SKILL.md) to the place where a client looks for skills, for the
// project or for the user. If a client has no documented place, the result says what to do instead. cli/ asks, and
// reports the result.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Result } from '../config/check.js';

const NAME = 'mcp-hotline';
const source = fileURLToPath(new URL(`../../skills/${NAME}/SKILL.md`, import.meta.url));

/** Directories of skills, relative to the project's directory and to the user's home. */
interface SkillDirectories {
  readonly project: string;
  readonly user?: string;
}

const same = (directory: string): SkillDirectories => ({ project: directory, user: directory });

/**
 * As the clients' documentation had it in November 2026. Who reads several directories gets the one that is its own.
 */
const directories: Readonly<Record<string, SkillDirectories>> = {
  'claude-code': same('.claude/skills'),
  codex: same('.agents/skills'),
  gemini: same('.gemini/skills'),
  qwen: same('.qwen/skills'),
  opencode: { project: '.opencode/skills', user: '.config/opencode/skills' },
  kilo: same('.kilo/skills'),
  vscode: { project: '.github/skills', user: '.copilot/skills' },
  copilot: { project: '.github/skills', user: '.copilot/skills' },
  cursor: same('.cursor/skills'),
  windsurf: { project: '.windsurf/skills', user: '.codeium/windsurf/skills' },
  zed: same('.agents/skills'),
  cline: same('.cline/skills'),
  goose: { project: '.agents/skills', user: '.config/agents/skills' },
  kiro: same('.kiro/skills'),
  junie: { project: '.junie/skills' },
};

export interface InstalledSkill {
  /** Absolute. */
  readonly path: string;
  /** False if the file was there already, with the same content. */
  readonly written: boolean;
}

/**
 * `client`: as in `wrap --client`. `user`: for all projects of this user. A file that differs is left as it is, and
 * that is an error.
 */
export function installSkill(
  client: string,
  projectDir: string,
  home: string,
  { user = false }: { user?: boolean } = {},
): Result<InstalledSkill> {
  const file = skillFile(client, projectDir, home, { user });
  if (file === undefined) return { ok: false, error: noDirectory(client, user && Object.hasOwn(directories, client)) };
  let wanted: string;
  try {
    wanted = readFileSync(source, 'utf8');
  } catch (error) {
    return { ok: false, error: `the skill can't be read from this installation: ${reasonOf(error)}` };
  }
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    // Never over a file that is there, not even over one that appears in this moment.
    writeFileSync(file, wanted, { flag: 'wx' });
    return { ok: true, value: { path: file, written: true } };
  } catch (error) {
    if (!isThere(error)) return { ok: false, error: `the skill can't be written to ${file}: ${reasonOf(error)}` };
  }
  if (readText(file) === wanted) return { ok: true, value: { path: file, written: false } };
  return {
    ok: false,
    error: `${file} is there and is not the skill of this version: it was left as it is. Delete it to have it written anew`,
  };
}

/** Where the client looks for the skill; undefined where no such place is documented. */
export function skillFile(
  client: string,
  projectDir: string,
  home: string,
  { user }: { user: boolean },
): string | undefined {
  const known = Object.hasOwn(directories, client) ? directories[client] : undefined;
  const directory = user ? known?.user : known?.project;
  return directory === undefined ? undefined : path.join(user ? home : projectDir, directory, NAME, 'SKILL.md');
}

function noDirectory(client: string, onlyUser: boolean): string {
  const what = onlyUser
    ? `${client} documents no directory of skills for a user`
    : `${client} documents no directory of skills`;
  return `${what}; most agents read AGENTS.md in the project: add a line there that names ${source}`;
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function isThere(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EEXIST';
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
