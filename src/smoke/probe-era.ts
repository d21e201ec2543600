// One connection in one era through the proxy as a plain pipe, which hides nothing of what the server does: handshake,
// lists, names, schemas, calls, end.

import type { ListName } from '../lists/lists.js';
import { callTool } from './calls.js';
import { open, type Era, type Opened } from './eras.js';
import { declared, fetchOne, listVerdict, namesVerdict } from './listing.js';
import { isStart, readLog } from './proxy-log.js';
import { failed, ok, skipped, type Verdict } from './report.js';
import { check, drop, leave, record, stdoutProblems, visit, type Run, type Visit } from './smoke-run.js';
import { schemasVerdict } from './schemas.js';

/** How an era was met. */
export type Met =
  | { readonly kind: 'spoken'; readonly sound: boolean; readonly ms: number }
  /** `gone`: the process ended without an answer; `hopeless`: there is no process to be had. */
  | {
      readonly kind: 'refused';
      readonly why: string;
      readonly gone: boolean;
      readonly hopeless: boolean;
      /** What else was seen, which may be the reason. */
      readonly signs: readonly string[];
      readonly ms: number;
    };

export async function meet(run: Run, era: Era, limit: number): Promise<Met> {
  const begin = performance.now();
  const guest = await visit(run, era, era, ['--no-reload']);
  const opened = await open(guest.connection, era, limit, run.signal);
  const ms = performance.now() - begin;
  if (opened.kind === 'refused') {
    await drop(run, guest);
    const impossible = opened.gone ? await whyNoProcess(guest) : undefined;
    const hopeless = impossible !== undefined;
    const signs = [...(await stdoutProblems(guest)), ...guest.connection.strays];
    return { kind: 'refused', why: impossible ?? opened.why, gone: opened.gone, hopeless, signs, ms };
  }
  record(run, era, 'handshake', openedVerdict(opened), ms);
  if (opened.kind === 'opened') await examine(run, guest, opened.capabilities);
  await leave(run, guest);
  return { kind: 'spoken', sound: opened.kind === 'opened', ms };
}

/** Why there was no server at all, in the proxy's words; nothing, if there was one. */
async function whyNoProcess({ connection }: Visit): Promise<string | undefined> {
  const events = await readLog(connection.log);
  const failure = events.find(({ event }) => event === 'failed');
  if (failure !== undefined) return failure.text;
  if (events.some(isStart)) return undefined;
  return `mcp-hotline itself ended with code ${connection.exit?.code}, before it had started the server`;
}

/** What a handshake that was not refused comes to. */
export function openedVerdict(opened: Exclude<Opened, { kind: 'refused' }>): Verdict {
  return opened.kind === 'opened' ? ok(`${opened.server}, ${opened.version}`) : failed(...opened.problems);
}

async function examine(run: Run, guest: Visit, capabilities: Readonly<Record<string, unknown>>): Promise<void> {
  const { connection, group, era } = guest;
  const { calls, timeout } = run.setup;
  const listings = new Map<ListName, readonly unknown[]>();
  for (const list of declared(capabilities)) {
    await check(run, group, list.method, async () => {
      if (connection.exit !== undefined) return skipped('the server is gone');
      const { fetched, pages } = await fetchOne(connection, era, list, timeout, run.signal);
      if (fetched.known) listings.set(list.name, fetched.items);
      return listVerdict(list, fetched, pages);
    });
  }
  const tools = listings.get('tools');
  if (listings.size > 0) await check(run, group, 'names', () => namesVerdict(listings));
  if (tools !== undefined) await check(run, group, 'schemas', () => schemasVerdict(tools, era));
  for (const call of calls) {
    await check(run, group, `call ${call.tool}`, async () => {
      if (connection.exit !== undefined) return skipped('the server is gone');
      return (await callTool(connection, era, call, tools ?? [], timeout, run.signal)).verdict;
    });
  }
}
