// One client of the soak: the proxy as a process, several lanes that call all the time, and what arrives, handed to the
// tally. Keeps no message. How messages travel is wires.ts's, what to ask calls.ts's, what is right tally.ts's, what
// befalls the server unrest.ts's.

import { setTimeout as delay } from 'node:timers/promises';
import { newMarker, testEnvironment } from '../support/harness.js';
import { parse } from '../support/message.js';
import type { Json, Message } from '../support/message.js';
import { inEra, nextCall } from './calls.js';
import type { Call, Plan, Wanted } from './calls.js';
import { createLogSummary } from './log-summary.js';
import type { LogSummary } from './log-summary.js';
import type { Random } from '../support/random.js';
import type { Sources } from './sources.js';
import { answered, cancelled, createTally, fault, progressed, sent } from './tally.js';
import type { Tally } from './tally.js';
import { startHttp, startPipes } from './wires.js';
import type { WireOptions } from './wires.js';

export interface ClientPlan extends Plan {
  /** It speaks HTTP, to a proxy that serves nothing else. */
  readonly isHttp: boolean;
  readonly name: string;
  readonly options: readonly string[];
  readonly grandchild: boolean;
  /** The server speaks HTTP itself: with sessions, without, or HTTP+SSE. */
  readonly upstream?: 'stateful' | 'stateless' | 'sse';
}

export interface Client {
  readonly plan: ClientPlan;
  readonly pid: number;
  readonly marker: string;
  readonly sources: Sources;
  readonly tally: Tally;
  readonly log: LogSummary;
  /** Ids, as JSON, of what was taken back. */
  readonly takenBack: ReadonlySet<string>;
  /** The tools as the client knows them: fetched at first, and whenever it is told that they have changed. */
  tools(): readonly string[];
  open(): Promise<void>;
  /** Calls, one after the other, until told to stop. `pause`: at most so many milliseconds between two. */
  lane(random: Random, pause: number, signal: AbortSignal): Promise<void>;
  /** Sends one request and resolves with its answer. */
  ask(wanted: Pick<Wanted, 'method' | 'params'> & Partial<Wanted>): Promise<Message>;
  /** A call that its server does not survive. */
  die(how: NodeJS.Signals): void;
  /** Resolves with the exit code. */
  close(): Promise<number | null>;
}

export function startClient(plan: ClientPlan, sources: Sources): Client {
  const { era } = plan;
  const tally = createTally();
  const log = createLogSummary();
  const marker = newMarker();
  const waiting = new Map<string, (message: Message) => void>();
  const takenBack = new Set<string>();
  let lastSeq = 0;
  let lanes = 0;
  let tools: readonly string[] = [];
  let fetching: Promise<void> | undefined;
  let changedAgain = false;

  const wiring: WireOptions = {
    options: ['--watch', 'src', '--log-format', 'json', ...upstreamOptions(plan), ...plan.options],
    cwd: sources.directory,
    env: testEnvironment(marker, {
      EFFECTS: sources.effects,
      ...(plan.grandchild && { GRANDCHILD: '1' }),
      SOAK_HTTP: plan.upstream,
    }),
    onLogLine: (line) => log.push(line),
    onMessage(raw) {
      const message = parse(raw) as Message | undefined;
      if (message !== undefined) accept(message);
      // An event that has only an id.
      else if (raw.length > 0) fault(tally, 'wrong', `no message: ${raw.subarray(0, 200).toString()}`);
    },
    onRefusal: (story) => fault(tally, 'unexpected', story),
  };
  const wire = plan.isHttp ? startHttp(era, wiring) : startPipes(wiring);

  function accept(message: Message): void {
    const { method, params } = message;
    if (method === 'notifications/progress') return progressed(tally, params);
    if (method === 'notifications/tools/list_changed') {
      tally.listChanged += 1;
      return learnTools();
    }
    if (method !== undefined) return;
    const call = answered(tally, message, sources.breaks, log.waives());
    if (call === undefined) return;
    const key = JSON.stringify(call.id);
    waiting.get(key)?.(message);
    waiting.delete(key);
  }

  /** One at a time: a change that is told of meanwhile causes one more. */
  function learnTools(): void {
    changedAgain = true;
    fetching ??= (async () => {
      while (changedAgain) {
        changedAgain = false;
        const { result } = await ask({ method: 'tools/list', params: inEra(era, {}) });
        if (result !== undefined) tools = result.tools.map(({ name }: Json) => name as string);
      }
      fetching = undefined;
    })();
  }

  /** What is on the disk is noted before the request is written: it is sent after that save has returned. */
  function send({ params, ...wanted }: Wanted, lane = 0): { call: Call; full: Promise<unknown> | undefined } {
    const call = { ...wanted, lane, asked: sources.saved, breaks: sources.breaks, broken: sources.broken };
    sent(tally, call);
    return { call, full: wire.send({ id: call.id, method: call.method, params }) };
  }
  const answerTo = (id: string | number) =>
    new Promise<Message>((resolve) => void waiting.set(JSON.stringify(id), resolve));

  function ask(wanted: Pick<Wanted, 'method' | 'params'> & Partial<Wanted>): Promise<Message> {
    const seq = ++lastSeq;
    const answer = answerTo(seq);
    send({ hear: 0, say: 0, steps: 0, ...wanted, seq, id: seq });
    return answer;
  }

  async function takeBack(call: Call, signal: AbortSignal): Promise<void> {
    await delay(call.cancelAfter, undefined, { signal }).catch(() => {});
    if (!cancelled(tally, call)) return;
    takenBack.add(JSON.stringify(call.id));
    wire.takeBack(call.id);
  }

  return {
    plan,
    pid: wire.pid,
    marker,
    sources,
    tally,
    log,
    takenBack,
    tools: () => tools,
    async open() {
      if (era === 'legacy') {
        const clientInfo = { name: 'soak', version: '1.0.0' };
        const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
        await ask({ method: 'initialize', params });
        void wire.send({ method: 'notifications/initialized' });
      } else {
        await ask({ method: 'server/discover', params: inEra(era, {}) });
        const params = inEra(era, { notifications: { toolsListChanged: true } });
        void wire.send({ id: 'stream', method: 'subscriptions/listen', params });
      }
      learnTools();
      await fetching;
    },
    async lane(random, pause, signal) {
      // On a pipe all calls come in one order. Over HTTP only those do of which one was answered before the next.
      const lane = plan.isHttp || plan.upstream !== undefined ? ++lanes : 0;
      while (!signal.aborted) {
        const { call, full } = send(nextCall(++lastSeq, plan, random), lane);
        const answer = answerTo(call.id);
        if (full !== undefined) await Promise.race([full, answer]);
        await (call.cancelAfter === undefined ? answer : Promise.race([answer, takeBack(call, signal)]));
        if (call.cancelAfter !== undefined) waiting.delete(JSON.stringify(call.id));
        await delay(random.whole(0, pause), undefined, { signal }).catch(() => {});
      }
    },
    ask,
    die(how) {
      const params = inEra(era, { name: 'die', arguments: { how } });
      void ask({ method: 'tools/call', tool: 'die', params });
    },
    close: () => wire.close(),
  };
}

function upstreamOptions({ upstream }: ClientPlan): readonly string[] {
  if (upstream === undefined) return [];
  return ['--upstream', `http://127.0.0.1:{port}/${upstream === 'sse' ? 'sse' : 'mcp'}`];
}
