/**
 * What messages say about tasks, and where those about one go. Servers of 2025-11-25 declare the capability `tasks`,
 * those of the modern era an extension of that name; a connection without either is never looked at. Which tasks there
 * are is kept with the server that runs them (server/tasks.ts).
 */
import { endedTask, lostTask, unknownTask } from '../agent/words.js';
import { capabilitiesOf, membersOf } from '../session/agreement.js';
import type { GoneTask } from '../session/gone-tasks.js';
import type { Id } from '../wire/envelope.js';
import { error, INVALID_PARAMS } from '../wire/json-rpc.js';
import type { Message } from '../wire/message.js';
import { isAlive, type LineageRecord, type PendingRequest, type Session, type Upstream } from './records.js';
import { toJson } from '../wire/to-json.js';

const EXTENSION = 'io.modelcontextprotocol/tasks';
/** Requests about one task. `tasks/list` is about all, and goes to the generation that serves. */
const ABOUT_ONE = new Set(['tasks/get', 'tasks/result', 'tasks/cancel', 'tasks/update']);

/** What a client that is told it has no more to expect. Of a task that has completed it has yet to fetch the result. */
const ENDED = new Set(['failed', 'cancelled']);
const ENDED_MODERN = new Set([...ENDED, 'completed']);

/** A server has said what it can do. */
export function noteTaskSupport(lineage: LineageRecord, result: Readonly<Record<string, unknown>>): void {
  const capabilities = capabilitiesOf(result);
  const extensions = membersOf(capabilities['extensions']);
  if (capabilities['tasks'] !== undefined || extensions[EXTENSION] !== undefined) lineage.runsTasks = true;
}

/**
 * A modern client says in every request which extensions it knows; what the server can do, it may have asked another
 * process.
 */
export function noteTaskClient(lineage: LineageRecord, request: Message): void {
  if (!lineage.runsTasks && request.includes(`"${EXTENSION}"`)) lineage.runsTasks = true;
}

/** Whether requests by this method, and their answers, have to be looked into. */
export function concernsTasks({ runsTasks }: LineageRecord, method: string): boolean {
  return runsTasks && (method === 'tools/call' || ABOUT_ONE.has(method));
}

/**
 * The generation that has the task that a request is about, or how that task ended if its server is gone. Undefined:
 * nobody knows it. `foreign`: it is another client's, which this one is told nothing of.
 */
export function taskOwner(
  session: Session,
  method: string,
  request: Message,
): Upstream | GoneTask | 'foreign' | undefined {
  const { lineage, goneTasks } = session;
  if (!lineage.runsTasks || !ABOUT_ONE.has(method)) return undefined;
  const id = taskIdIn(request);
  if (id === undefined) return undefined;
  const owner = [...lineage.upstreams].find((upstream) => upstream.tasks.has(id));
  if (owner === undefined) return goneTasks.get(id) ?? lineage.goneTasks.get(id);
  if ((owner.tasks.ownerOf(id) ?? session) !== session) return 'foreign';
  return isAlive(lineage, owner) ? owner : undefined;
}

/** To a request about a task whose server is gone, or that is not the client's. */
export function taskAnswer(id: Id, request: Message, how: GoneTask | 'foreign'): Message {
  const task = taskIdIn(request) ?? '';
  if (how === 'foreign') return error(id, INVALID_PARAMS, unknownTask(task));
  const words = how === 'lost' ? lostTask(task) : endedTask(task);
  return error(id, INVALID_PARAMS, words, { taskId: task, lost: how === 'lost' });
}

/** A server has answered, and not with an error. */
export function noteTaskAnswer(upstream: Upstream, pending: PendingRequest, answer: Message): void {
  const { session, method, message: asked } = pending;
  if (!concernsTasks(session.lineage, method)) return;
  if (method === 'tools/call') {
    const result = membersOf(answer.read(['result']));
    const task = membersOf(result['task'] ?? (result['resultType'] === 'task' ? result : undefined));
    if (typeof task['taskId'] !== 'string') return;
    session.goneTasks.remove(task['taskId']);
    session.lineage.goneTasks.remove(task['taskId']);
    // A modern client may ask by other connections for what it has begun by this one.
    upstream.tasks.add(task['taskId'], session.agreement.era === 'modern' ? undefined : session);
    return;
  }
  const id = taskIdIn(asked);
  if (id === undefined) return;
  const status = String(answer.read(['result', 'status']));
  // The modern era has no `tasks/result`: a task that has completed brings its result with it.
  const ends = session.agreement.era === 'modern' ? ENDED_MODERN : ENDED;
  if (method === 'tasks/result' || ends.has(status)) upstream.tasks.end(id);
}

/** Of a server that clients share, each sees its own. */
export function withOwnTasks(session: Session, upstream: Upstream, answer: Message): Message {
  const tasks = answer.read(['result', 'tasks']);
  if (!session.lineage.isShared || !Array.isArray(tasks)) return answer;
  const own = tasks.filter((task) => upstream.tasks.ownerOf(String(membersOf(task)['taskId'])) === session);
  return own.length === tasks.length ? answer : (answer.with(['result', 'tasks'], toJson(own)) ?? answer);
}

function taskIdIn(request: Message): string | undefined {
  const id = request.read(['params', 'taskId']);
  return typeof id === 'string' ? id : undefined;
}
