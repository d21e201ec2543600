/**
 * What clients and the proxy know of a server's tools: which list a client was served, which one a generation has, and
 * what has changed a tool. What is not known is asked for only where the proxy has asked before. A client over HTTP in
 * the modern era has no session: those of one name and version count as one client here. Pure; comparing is left to
 * lists/client-tools.ts.
 */
import type { ChangeCause } from '../agent/hints.js';
import { createClientTools, noteShown, type ClientTools } from '../lists/client-tools.js';
import type { ListChange } from '../lists/compare.js';
import { areSameTools } from '../lists/tool-changes.js';
import type { Message } from '../wire/message.js';
import type { LineageRecord, Session, Upstream } from './records.js';

const CLIENT_INFO = ['params', '_meta', 'io.modelcontextprotocol/clientInfo'];
/** Of so many clients without a session it is remembered what they were served. */
const MAX_CLIENTS = 100;
/** A client that says more of itself than this is not told from others. */
const MAX_INFO = 4096;
/** A server may say at every question that its tools have changed. */
const MAX_IN_VAIN = 20;

/** Those of the client that sent this request. Undefined: it can't be told from others, or was served none. */
export function toolsOfClient(session: Session, request: Message): ClientTools | undefined {
  const { lineage } = session;
  // What the server has for one client says nothing about what it has for another (P17, apart).
  if (lineage.areToolsPersonal) return undefined;
  if (session.role !== 'request') return session.tools;
  const { sessionlessTools: all } = lineage;
  const key = all.size === 0 ? undefined : keyOf(request);
  return key === undefined ? undefined : all.get(key);
}

/** A client was served a page of the list of tools by this generation. */
export function noteToolPage(session: Session, upstream: Upstream, request: Message, page: unknown): void {
  const { lineage } = session;
  const tools = session.role === 'request' ? sessionless(lineage, request) : session.tools;
  if (tools === undefined) return;
  const { served } = tools;
  if (tools !== session.tools) served.onPage('tools', request.read(['params', 'cursor']), page, upstream.generation);
  const items = served.isWhole('tools') ? served.baseline('tools') : undefined;
  // Pages of two generations are the list of neither.
  if (items === undefined || served.generation('tools') !== upstream.generation) return;
  if (upstream.tools !== undefined && upstream.toolsSeenBy !== tools && hasSeveralClients(lineage))
    lineage.areToolsPersonal = !areSameTools(upstream.tools, items);
  upstream.tools = items;
  upstream.toolsSeenBy = tools;
}

/** The client was shown these tools in another way than by the list of tools. */
export function noteToolsShown(session: Session, request: Message, items: readonly unknown[]): void {
  const tools = toolsOfClient(session, request);
  if (tools !== undefined) noteShown(tools, items);
}

function hasSeveralClients({ isShared, sessions, sessionlessTools }: LineageRecord): boolean {
  if (!isShared) return false;
  return sessionlessTools.size + [...sessions].filter(({ role }) => role === 'client').length > 1;
}

function keyOf(request: Message): string | undefined {
  const info = request.raw(CLIENT_INFO);
  return info === undefined || info.length > MAX_INFO ? undefined : info;
}

function sessionless({ sessionlessTools: all }: LineageRecord, request: Message): ClientTools | undefined {
  const key = keyOf(request);
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
 * proxy asks nothing of its own, and it is not known what the server has. One that says so again and again, and has the
 * same tools, is not believed any more.
 */
export function doubtTools(lineage: LineageRecord, upstream: Upstream): void {
  const { toolDoubts: doubts } = upstream;
  if (doubts.inVain >= MAX_IN_VAIN) return;
  doubts.before = upstream.tools ?? doubts.before;
  upstream.tools = undefined;
  doubts.count++;
  askTools(lineage, upstream);
}

function askTools(lineage: LineageRecord, upstream: Upstream): void {
  const { toolDoubts: doubts, knownLists, declaresNoTools } = upstream;
  const wasAsked = knownLists.has('tools') && !declaresNoTools;
  if (lineage.options.hints === 'off' || doubts.isAsking || !wasAsked) return;
  doubts.isAsking = true;
  const { count } = doubts;
  lineage.ports.fetchAllTools(upstream, (items) => {
    doubts.isAsking = false;
    const { before } = doubts;
    const isNews = items !== undefined && (before === undefined || !areSameTools(before, items));
    doubts.inVain = isNews ? 0 : doubts.inVain + 1;
    doubts.before = items ?? before;
    if (upstream.tools !== undefined) return;
    if (count !== doubts.count && doubts.inVain < MAX_IN_VAIN) return askTools(lineage, upstream);
    upstream.tools = items;
    upstream.toolsSeenBy = undefined;
  });
}

/** A reload has changed these. */
export function noteToolCauses(lineage: LineageRecord, changes: readonly ListChange[], cause: ChangeCause): void {
  for (const { list, kind, name, fields } of changes) {
    const isTelling = list === 'tools' && (kind !== '~' || fields.length === 0 || fields.includes('inputSchema'));
    if (isTelling) lineage.toolCauses.set(name, cause);
  }
}
