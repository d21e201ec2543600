/**
 * A lineage and a client without input and output: what would be sent is collected, so that verdicts can be read off.
 */
import type { Failure } from '#src/agent/words.js';
import { attachSession } from '#src/exchange/attach.js';
import { fromClient } from '#src/exchange/from-client.js';
import { fromServer } from '#src/exchange/from-server.js';
import * as handover from '#src/exchange/handover.js';
import { lastProgressOf } from '#src/exchange/progress.js';
import {
  createLineageRecord,
  type AgentCall,
  type ExchangeOptions,
  type LineageRecord,
  type Session,
  type Upstream,
} from '#src/exchange/records.js';
import { OutputTail } from '#src/server/output-tail.js';
import type { ServerProcess } from '#src/server/server-process.js';
import { Upstream as ServerUpstream } from '#src/server/upstream.js';
import { LineSplitter } from '#src/wire/lines.js';
import type { Message } from '#src/wire/message.js';

export interface Play {
  readonly lineage: LineageRecord;
  /** The client that was there first. */
  readonly session: Session;
  /** Everything that was sent, in order: `client`, the name of another client or the generation, and the message. */
  readonly sent: [to: string | number, message: unknown][];
  /** The same, as lines. */
  readonly lines: string[];
  readonly warnings: string[];
  /** The generations that owe nothing any more. */
  readonly drained: number[];
  /** Calls of the agent's own tools. */
  readonly calls: AgentCall[];
  /** What a server's tools are found to be, if all of them are asked for. */
  tools: readonly unknown[] | undefined;
  now: number;
  /** Whether a call that meets a failure is told that what failed is tried again. */
  retries: boolean;
  /** The record of a generation, made when it is first asked for. */
  upstream(generation: number): Upstream;
  client(message: unknown): void;
  /** Another client comes. */
  join(name: string): Client;
  server(generation: number, message: unknown): void;
  /** What was sent since the last time. */
  take(): [to: string | number, message: unknown][];
}

/** One of several. */
export interface Client {
  readonly session: Session;
  says(message: unknown): void;
}

export function play(options: Partial<ExchangeOptions> = {}): Play {
  const sent: Play['sent'] = [];
  const lines: string[] = [];
  const warnings: string[] = [];
  const drained: number[] = [];
  const calls: AgentCall[] = [];
  const upstreams = new Map<number, Upstream>();
  let proxyRequests = 0;
  const collect = (to: string | number) => ({
    full: false,
    send: (message: Message) => {
      lines.push(String(message));
      sent.push([to, parsed(message)]);
    },
    pause: () => {},
    resume: () => {},
    end: () => {},
    drained: () => Promise.resolve(),
  });
  const lineage = createLineageRecord(
    {
      now: () => game.now,
      onIntroduced: () => {},
      onOpenedInPlace: () => {},
      onDiscoverRefused: () => {},
      runAgentTool: (call) => void calls.push(call),
      fetchAllTools: (_, known) => known(game.tools),
      repeatAttempt: (waits) => {
        if (game.retries && waits) lineage.isHolding = true;
        return game.retries;
      },
      later: () => {},
      warn: (text) => void warnings.push(text),
      warnOnce: (text) => void warnings.push(text),
    },
    {
      retry: 'safe',
      concurrency: undefined,
      onFailure: 'report',
      agentTools: false,
      hints: 'changes',
      name: 'test',
      hold: 50_000,
      promise: true,
      reloads: true,
      ...options,
    },
    { [Symbol.iterator]: () => upstreams.values() },
  );
  const context = {
    callClock: lineage.callClock,
    now: () => game.now,
    progressAt: lastProgressOf,
    newRequestId: () => `"mcp-hotline:n:${++proxyRequests}"`,
  };
  const create = (generation: number): Upstream => {
    const parts = {
      generation,
      process: { output: new OutputTail() } as ServerProcess,
      channel: collect(generation),
      unfinishedText: () => '',
    };
    const upstream: Upstream = new ServerUpstream(parts, context);
    void (upstream.markDrained = () => void drained.push(generation));
    upstreams.set(generation, upstream);
    return upstream;
  };
  const game: Play = {
    lineage,
    session: attachSession(lineage, collect('client')),
    sent,
    lines,
    warnings,
    drained,
    calls,
    tools: undefined,
    now: 0,
    retries: false,
    upstream: (generation) => upstreams.get(generation) ?? create(generation),
    client: (message) => fromClient(game.session, asRead(message)),
    join: (name) => {
      const session = attachSession(lineage, collect(name));
      return { session, says: (message) => fromClient(session, asRead(message)) };
    },
    server: (generation, message) => fromServer(lineage, game.upstream(generation), asRead(message)),
    take: () => sent.splice(0),
  };
  return game;
}

function parsed(message: Message): unknown {
  try {
    return JSON.parse(String(message)) as unknown;
  } catch {
    return undefined;
  }
}

/** What the state machine says, and what follows from it for messages. */
export function beginHold({ lineage }: Play): void {
  lineage.isHolding = true;
}

export function endHold({ lineage }: Play, failure?: Failure): void {
  lineage.failure = failure;
  lineage.isHolding = false;
  handover.endHold(lineage);
}

export function promote({ lineage, upstream }: Play, generation: number): void {
  const from = lineage.serving;
  const to = upstream(generation);
  lineage.serving = to;
  lineage.candidate = undefined;
  handover.promote(lineage, from === to ? undefined : from, to);
}

export function demote({ lineage }: Play): void {
  const { serving } = lineage;
  lineage.serving = undefined;
  if (serving !== undefined) handover.demote(lineage, serving);
}

export function drop({ lineage, upstream }: Play, generation: number, crash?: Failure): handover.Dropped {
  const dropped = upstream(generation);
  if (lineage.serving === dropped) lineage.serving = undefined;
  if (lineage.candidate === dropped) lineage.candidate = undefined;
  return handover.dropGeneration(lineage, dropped, crash);
}

/** As the message would be read: what stands before and behind it is no part of it, and long lines come in pieces. */
export function asRead(message: unknown): Message {
  const read: Message[] = [];
  const lines = { message: (line: Message) => void read.push(line), oversized: () => {} };
  const splitter = new LineSplitter({ limit: Infinity }, lines);
  const line = Buffer.from(`${JSON.stringify(message)}\n`);
  if (line.length < 4096) splitter.push(Buffer.concat([BEFORE, line, BEHIND]));
  else for (const [from, to] of [[0, 1000], [1000, 3000], [3000]]) splitter.push(line.subarray(from, to));
  return read[line.length < 4096 ? 1 : 0]!;
}

const BEFORE = Buffer.from('{"before":1}\n');
const BEHIND = Buffer.from('{"behind":1}\n');

export const request = (id: number | string, method: string, params: object = {}): object => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
export const answer = (id: number | string, result: object = {}): object => ({ jsonrpc: '2.0', id, result });
export const tell = (method: string, params: object = {}): object => ({ jsonrpc: '2.0', method, params });
