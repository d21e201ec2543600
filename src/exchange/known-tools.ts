/**
 * What clients and the proxy know of a server's tools: which list a client was served, which one a generation has, and
 * what has changed a tool. What is not known is asked for only where the proxy has asked before. A client over HTTP in
 * the modern era has no session: those of one name and version count as one client here. Pure; comparing is left to
 * lists/client-tools.ts.
 */
import type { ChangeCause } from '../agent/hints.js';
import { createClientTools, type ClientTools } from '../lists/client-tools.js';
import type { ListChange } from '../lists/compare.js';
import type { Message } from '../wire/message.js';
import type { LineageRecord, Session, Upstream } from './records.js';

const CLIENT_INFO = ['params', '_meta', 'io.modelcontextprotocol/clientInfo'];
/** Of so many clients without a session it is remembered what they were served. */
const MAX_CLIENTS = 1000;
/** A server may say at every question that its tools have changed. */
const MAX_QUESTIONS = 20;

/** Those of the client that sent this request. Undefined: it can't be told from others, or was served none. */
export function toolsOfClient(session: Session, request: Message): ClientTools | undefined {
  if (session.role !== 'request') return session.tools;
  const { sessionlessTools: all } = session.lineage;
  return all.size === 0 ? undefined : all.get(request.raw(CLIENT_INFO) ?? '');
}

/** A client was served a page of the list of tools by this generation. */
export function noteToolPage(session: Session, upstream: Upstream, request: Message, page: unknown): void {
  const served = session.role === 'request' ? sessionless(session.lineage, request)?.served : session.served;
  if (served === undefined) return;
  if (served !== session.served) served.onPage('tools', request.read(['params', 'cursor']), page, upstream.generation);
  if (served.isWhole('tools')) upstream.tools = served.baseline('tools');
}

function sessionless({ sessionlessTools: all }: LineageRecord, request: Message): ClientTools | undefined {
  const key = request.raw(CLIENT_INFO);
  if (key === undefined) return undefined;
  const tools = all.get(key) ?? createClientTools();
  all.delete(key);
  all.set(key, tools);
  for (const oldest of all.keys()) {
    if (all.size <= MAX_CLIENTS) break;
    all.delete(oldest);
  }
  return tools;
}

/**
 * A server says that its tools are others now. It is asked for them if the proxy has asked it before; before that the
 * proxy asks nothing of its own, and it is not known what the server has.
 */
export function doubtTools(lineage: LineageRecord, upstream: Upstream): void {
  upstream.tools = undefined;
  upstream.toolDoubts.count++;
  askTools(lineage, upstream);
}

function askTools(lineage: LineageRecord, upstream: Upstream): void {
  const { toolDoubts: doubts, knownLists, declaresNoTools } = upstream;
  const { hints } = lineage.options;
  const wasAsked = knownLists.has('tools') && !declaresNoTools;
  if (hints === 'off' || doubts.isAsking || !wasAsked || doubts.asked >= MAX_QUESTIONS) return;
  doubts.isAsking = true;
  doubts.asked++;
  const { count } = doubts;
  lineage.ports.allTools(upstream, (items) => {
    doubts.isAsking = false;
    if (count === doubts.count) upstream.tools ??= items;
    else if (upstream.tools === undefined) askTools(lineage, upstream);
  });
}

/** A reload has changed these. */
export function noteToolCauses(lineage: LineageRecord, changes: readonly ListChange[], cause: ChangeCause): void {
  for (const { list, kind, name, fields } of changes) {
    const isTelling = list === 'tools' && (kind !== '~' || fields.length === 0 || fields.includes('inputSchema'));
    if (isTelling) lineage.toolCauses.set(name, cause);
  }
}
