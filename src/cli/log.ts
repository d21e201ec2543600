// `mcp-hotline log`: the audit trail of a directory's servers, oldest first, for people or as data; with -f it goes on as
// things happen, until it is ended or nobody reads any more.

import type { Result } from '../config/check.js';
import type { Given } from '../config/config.js';
import { readAudit, type AuditLine } from '../log/audit.js';
import { followAudit } from '../log/follow.js';
import { NotRegular } from '../log/state-file.js';
import { auditText } from './audit-text.js';
import { findStateDirs, nothingFound } from './state-dirs.js';

type Asked = Given & { json?: boolean; follow?: boolean };

/** Writes by itself, since it may never end. `over` ends it. */
export async function log(
  { json = false, follow = false, ...given }: Asked,
  write: (text: string) => void,
  over: AbortSignal,
): Promise<Result<number>> {
  const found = await findStateDirs(given);
  if (!found.ok) return found;
  const { cwd, dirs } = found.value;
  if (dirs.length === 0) return { ok: false, error: nothingFound(cwd) };
  const print = (lines: readonly AuditLine[]): void => {
    const shown = lines.map((line) => (json ? JSON.stringify(line) : auditText(line)));
    if (shown.length > 0) write(`${shown.join('\n')}\n`);
  };
  if (!follow) {
    print(inOrder(await Promise.all(dirs.map(({ dir }) => readAudit(dir)))));
    return { ok: true, value: 0 };
  }
  const trails = dirs.map(({ dir }) => followAudit(dir, print, over));
  try {
    print(inOrder(await Promise.all(trails.map((trail) => trail.past))));
    await Promise.all(trails.map((trail) => trail.follow()));
  } catch (error) {
    if (error instanceof NotRegular) return { ok: false, error: error.message };
    throw error;
  }
  return { ok: true, value: 0 };
}

function inOrder(trails: readonly (readonly AuditLine[])[]): AuditLine[] {
  return trails.flat().sort((a, b) => a.time.localeCompare(b.time));
}
