/**
 * What messages say about tasks, and where those about one go. Servers of 2025-11-25 declare the capability `tasks`, those of the modern
 * era an extension of that name; a connection without either is never looked at. Which tasks there are is kept in session/tasks.ts.
 */
import { lostTask } from '../agent/words.js';
import { capabilitiesOf, membersOf } from '../session/session.js';
import { readAt } from '../wire/edit.js';
import { error, INVALID_PARAMS } from '../wire/message.js';
import type { Id } from '../wire/scan.js';
import { isAlive, type Desk } from './desk.js';

const EXTENSION = 'io.modelcontextprotocol/tasks';
/** Requests about one task. `tasks/list` is about all, and goes to the generation that serves. */
const ABOUT_ONE = new Set(['tasks/get', 'tasks/result', 'tasks/cancel', 'tasks/update']);

/** A server has said what it can do. */
export function noteTaskSupport(desk: Desk, result: Readonly<Record<string, unknown>>): void {
  const capabilities = capabilitiesOf(result);
  const extensions = membersOf(capabilities['extensions']);
  if (capabilities['tasks'] !== undefined || extensions[EXTENSION] !== undefined) desk.tasks.enabled = true;
}

/** A modern client says in every request which extensions it knows; what the server can do, it may have asked another process. */
export function noteTaskClient({ tasks }: Desk, line: Buffer): void {
  if (!tasks.enabled && line.includes(`"${EXTENSION}"`)) tasks.enabled = true;
}

/** Whether requests by this method, and their answers, have to be looked into. */
export function concernsTasks(desk: Desk, method: string): boolean {
  return desk.tasks.enabled && (method === 'tools/call' || ABOUT_ONE.has(method));
}

/** The generation that has the task that a request is about, if that is another one than the one that serves, or none. */
export function taskOwner(desk: Desk, method: string, line: Buffer): number | 'lost' | undefined {
  if (!desk.tasks.enabled || !ABOUT_ONE.has(method)) return undefined;
  const id = taskIdIn(line, ['params', 'taskId']);
  if (id === undefined) return undefined;
  if (desk.tasks.isLost(id)) return 'lost';
  const generation = desk.tasks.generationOf(id);
  return generation !== undefined && isAlive(desk, generation) ? generation : undefined;
}

export function lostTaskAnswer(id: Id, line: Buffer): Buffer {
  const task = taskIdIn(line, ['params', 'taskId']) ?? '';
  return error(id, INVALID_PARAMS, lostTask(task), { taskId: task, lost: true });
}

/** A server has answered, and not with an error. */
export function noteTaskAnswer(desk: Desk, generation: number, method: string, asked: Buffer, line: Buffer): void {
  if (!concernsTasks(desk, method)) return;
  if (method === 'tools/call') {
    const result = membersOf(readAt(line, ['result']));
    const task = membersOf(result['task'] ?? (result['resultType'] === 'task' ? result : undefined));
    if (typeof task['taskId'] === 'string') desk.tasks.created(task['taskId'], generation, task['status']);
    return;
  }
  const id = taskIdIn(asked, ['params', 'taskId']);
  if (id === undefined) return;
  const status = readAt(line, ['result', 'status']);
  // The modern era has no `tasks/result`: a task that has completed brings its result with it.
  const isFetched = method === 'tasks/result' || (desk.session.era === 'modern' && status === 'completed');
  desk.tasks.update(id, generation, status, isFetched);
}

/** A server tells of a task without being asked. */
export function noteTaskStatus(desk: Desk, generation: number, line: Buffer): void {
  const id = taskIdIn(line, ['params', 'taskId']);
  if (desk.tasks.enabled && id !== undefined)
    desk.tasks.update(id, generation, readAt(line, ['params', 'status']), false);
}

/** Whether the client still has something to expect of a generation. */
export function owesAnything({ ledger, tasks }: Desk, generation: number): boolean {
  return ledger.owing(generation) > 0 || tasks.openIn(generation) > 0;
}

function taskIdIn(line: Buffer, path: readonly string[]): string | undefined {
  const id = readAt(line, path);
  return typeof id === 'string' ? id : undefined;
}
