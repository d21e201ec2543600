/**
 * P1, P4, P8, P12: every request is answered once, by code that is new enough, runs twice only where that is safe, and
 * in time.
 */
import { codeOf } from './disk.js';
import { keyOf, type Asked, type Facts, type Life, type Mark, type Message } from './facts.js';

const SAFE = new Set([
  'initialize',
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/get',
  'completion/complete',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

/** What comes on top of the hold: a session that is opened in the server's place, a disk that is slow. */
const SLACK = 31_000;

export class Requests {
  readonly #facts: Facts;
  readonly #open = new Set<Asked>();
  /** The keys of streams that the client has cancelled: an answer may be on its way. */
  readonly #takenBack = new Set<string>();
  /** The keys of requests whose cancellation a server has been told. */
  readonly #cancelled = new Set<number>();

  constructor(facts: Facts) {
    this.#facts = facts;
  }

  /** What the client waits for, oldest first. */
  open(): Asked[] {
    return [...this.#open, ...this.#facts.streams.values()];
  }

  sent({ id, method, params }: Message, line: string): Asked | undefined {
    const { asked: all, kernel, disk } = this.#facts;
    if (method === 'notifications/cancelled') {
      const key = keyOf(params?.['requestId']);
      // With several of them, nobody can say which is meant.
      for (const asked of this.#open) if (asked.key === key) asked.cancelled = true;
      if (this.#facts.streams.delete(key)) this.#takenBack.add(key);
    }
    if (id === undefined || method === undefined) return undefined;
    const asked: Asked = {
      uid: Number(params?.['_meta']?.['uid']),
      raw: /"id":("(?:[^"\\]|\\.)*"|[^,]+)/.exec(line)?.[1] ?? 'null',
      key: keyOf(id),
      method,
      params,
      tool: typeof params?.['name'] === 'string' ? params['name'] : '',
      batch: line.startsWith('['),
      sentAt: kernel.time,
      state: disk.states.length - 1,
      twin: false,
      cancelled: false,
      excused: false,
      dropped: false,
      lost: new Map(),
      answered: false,
      with: [],
      whileFailing: new Set(),
    };
    for (const other of this.open()) if (other.key === asked.key) other.twin = asked.twin = true;
    // What nobody waits for any more may be answered in the place of another under the same id.
    for (const other of all.values())
      if (other.dropped && !other.answered && other.key === asked.key) other.twin = asked.twin = true;
    all.set(asked.uid, asked);
    if (method === 'subscriptions/listen') this.#facts.streams.set(asked.key, asked);
    else this.#open.add(asked);
    return asked;
  }

  /** It is written to a server, which may execute it from now on. */
  written(life: Life, asked: Asked): void {
    const { generation } = life;
    const isNew = !asked.with.includes(generation);
    // What a server that speaks HTTP has lost may be sent to the same one again.
    if (!isNew && !asked.lost.has(generation))
      return this.#facts.fail('P8', `request ${asked.uid} is sent to generation ${generation} twice`);
    if (asked.with.length > 0 && asked.method !== 'subscriptions/listen') this.#mayRunAgain(asked);
    if (asked.answered && !asked.twin)
      this.#facts.fail('P1', `request ${asked.uid} is sent to generation ${generation} after it was answered`);
    asked.with.push(generation);
    asked.lost.delete(generation);
    if (this.#facts.failing) asked.whileFailing.add(generation);
  }

  #mayRunAgain(asked: Asked): void {
    const { method, uid } = asked;
    const { lives, setting, sessionStands } = this.#facts;
    const fail = (why: string): void => this.#facts.fail('P8', `request ${uid} (${method} ${asked.tool}) ${why}`);
    const lost = lives.get(asked.with.at(-1) ?? 0);
    if (asked.batch) return fail('of a batch is sent again');
    const opens = method === 'initialize' || method === 'server/discover';
    if (asked.with.length > 1 && !opens) return fail('is sent a third time');
    if (this.#cancelled.has(uid) && !asked.twin) return fail('is sent again though it was cancelled');
    if (method === 'tools/call' ? lost?.harmless.has(asked.tool) !== true : !SAFE.has(method))
      return fail('may have run and is sent again');
    if (setting.retry === 'never' && sessionStands) fail('is sent again in spite of --retry never');
  }

  cancelWritten(key: string): void {
    for (const asked of this.#facts.asked.values())
      if (asked.key === key && asked.cancelled) this.#cancelled.add(asked.uid);
  }

  /** A server has taken it in: now it is executed. */
  executed(life: Life, { uid, method, state, whileFailing }: Asked): void {
    const { setting, disk, failing, lenient } = this.#facts;
    if (setting.whileReloading === 'serve' || lenient || method === 'subscriptions/listen') return;
    // Opening a session needs no more than a server.
    if (method === 'initialize' || method === 'server/discover') return;
    if ((failing || whileFailing.has(life.generation)) && (method !== 'tools/call' || setting.onFailure === 'serve'))
      return;
    const since = disk.states.slice(state).map(codeOf);
    if (life.code !== undefined && since.includes(life.code)) return;
    const ran = `generation ${life.generation} (${life.code})`;
    this.#facts.fail(
      'P4',
      `request ${uid} (${method}) is executed by ${ran}, but the disk held ${since[0]} when it was sent`,
    );
  }

  /** The client is answered. Returns what. */
  answered({ id, error, result }: Message, mark: Mark | undefined): Asked | undefined {
    if (id === null) return undefined;
    const failure = error ?? ((result as { isError?: boolean } | undefined)?.isError === true ? result : undefined);
    const key = keyOf(id);
    const open = [...this.#open].filter((one) => one.key === key);
    // What waited in vain was with no server. Large ids that differ are one and the same here.
    const waited = mark === undefined && failure !== undefined && !saysMayHaveRun(failure);
    const asked =
      (mark?.uid === undefined ? undefined : open.find(({ uid }) => uid === mark.uid)) ??
      (waited ? open.find((one) => !one.cancelled && one.with.length === 0) : undefined) ??
      open.find(({ cancelled }) => !cancelled) ??
      open[0];
    if (asked === undefined) {
      if (!this.#facts.streams.delete(key) && !this.#takenBack.delete(key))
        this.#facts.fail('P1', `the client is answered ${key}, which is not open`);
      return undefined;
    }
    asked.answered = true;
    this.#open.delete(asked);
    if (asked.method === 'initialize' && error === undefined) this.#facts.sessionStands = true;
    // The program's own answers don't say which of two under one id they are for.
    if (asked.twin && (asked.cancelled || mark === undefined)) for (const one of open) one.excused = true;
    if (asked.twin) return asked;
    if (mark === undefined) this.#answeredByProxy(asked, failure);
    else if (!asked.with.includes(mark.g))
      this.#facts.fail('P10', `request ${asked.uid} is answered by generation ${mark.g}, which never had it`);
    return asked;
  }

  /** Nobody waits for the answer any more; or its connection has ended without it. */
  unanswered(uid: number, because: 'taken back' | 'cut' | 'ended'): Asked | undefined {
    const facts = this.#facts;
    const asked = facts.asked.get(uid);
    if (asked === undefined) return undefined;
    // Which of two under one id was answered before, nobody can say.
    if (asked.answered && asked.twin) for (const one of this.#open) one.excused ||= one.key === asked.key;
    if (asked.answered) return asked;
    facts.note(`request ${uid} is not answered: ${because}`);
    if (because === 'ended' && !asked.cancelled && !asked.twin && !facts.isEnding)
      facts.fail('P1', `the response to request ${uid} (${asked.method}) ends without an answer`);
    if (asked.method === 'initialize') facts.leave?.();
    facts.dropped?.(asked.method);
    asked.cancelled = asked.dropped = true;
    this.#open.delete(asked);
    if (facts.streams.get(asked.key) === asked) facts.streams.delete(asked.key);
    return asked;
  }

  #answeredByProxy(asked: Asked, failure: unknown): void {
    if (failure === undefined || saysMayHaveRun(failure) || asked.with.length === 0) return;
    if (!SAFE.has(asked.method))
      this.#facts.fail('P8', `request ${asked.uid} may have run, but the client is not told so`);
  }

  /** Nothing waits longer than it may (P12). */
  look(): void {
    const { setting, kernel, lives, deaf } = this.#facts;
    if (setting.hold === 0 || deaf) return;
    for (const asked of this.#owed()) {
      if (setting.concurrency !== undefined && asked.method === 'tools/call') continue;
      const ends = asked.with.map((generation) => lives.get(generation)?.endedAt ?? 0);
      const lost = Math.max(0, ...ends, ...asked.lost.values());
      // The agent's own tools may wait for two things, one after the other.
      const limit = (setting.agentTools ? 2 : 1) * setting.hold + SLACK;
      const waits = kernel.time - Math.max(asked.sentAt, lost);
      if (waits > limit) this.#facts.fail('P12', `request ${asked.uid} has waited for ${Math.round(waits)} ms`);
    }
  }

  /** What nobody who is alive has. */
  #owed(): Asked[] {
    return [...this.#open].filter(
      (asked) => !asked.cancelled && !asked.excused && !asked.with.some((generation) => this.#hasIt(asked, generation)),
    );
  }

  #hasIt(asked: Asked, generation: number): boolean {
    return this.#facts.isAlive(generation) && !asked.lost.has(generation);
  }

  /** The connection is gone by which a server was to answer. */
  lost(generation: number, uid: number): void {
    const asked = this.#facts.asked.get(uid);
    if (asked !== undefined && !asked.answered) asked.lost.set(generation, this.#facts.kernel.time);
  }

  /** A server has a call of the client and will not answer it, or not yet. */
  get hangs(): boolean {
    const isWith = (generation: number): boolean => this.#facts.isAlive(generation);
    return [...this.#open].some((asked) => asked.method === 'tools/call' && asked.with.some(isWith));
  }

  /** When there was time for everything. */
  end(): void {
    const { concurrency } = this.#facts.setting;
    // A call that a server never answers may keep others waiting for their turn.
    const isBlocked = ({ method }: Asked): boolean =>
      method === 'tools/call' && concurrency !== undefined && this.#facts.isBlocked();
    const first = this.#owed().find((asked) => !isBlocked(asked));
    if (first !== undefined) this.#facts.fail('P1', `request ${first.uid} (${first.method}) is never answered`);
  }
}

/** An error says it in its data, a tool result in its text. */
function saysMayHaveRun(failure: unknown): boolean {
  const { data, content } = failure as { data?: { mayHaveRun?: boolean }; content?: readonly { text?: string }[] };
  return data?.mayHaveRun === true || (content?.[0]?.text ?? '').includes('may or may not have taken effect');
}
