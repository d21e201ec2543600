/** A desk without input and output: what it would send is collected, so that verdicts can be read off. */
import { createDesk, type AgentCall, type Desk, type DeskOptions } from '#src/exchange/desk.js';
import { fromClient } from '#src/exchange/from-client.js';
import { fromServer } from '#src/exchange/from-server.js';
import * as handover from '#src/exchange/handover.js';
import type { Failure } from '#src/agent/words.js';
import { LineSplitter } from '#src/wire/lines.js';
import type { Message } from '#src/wire/message.js';

export interface Play {
  readonly desk: Desk;
  /** Everything that was sent, in order: `client` or the generation, and the message. */
  readonly sent: [to: 'client' | number, message: unknown][];
  readonly warnings: string[];
  readonly drained: number[];
  /** Calls of the agent's own tools. */
  readonly calls: AgentCall[];
  /** What a server's tools are found to be, if the desk asks for all of them. */
  tools: readonly unknown[] | undefined;
  now: number;
  /** Whether a call that meets a failure is told that what failed is tried again. */
  retries: boolean;
  client(message: unknown): void;
  server(generation: number, message: unknown): void;
  /** What was sent since the last time. */
  take(): [to: 'client' | number, message: unknown][];
}

export function play(options: Partial<DeskOptions> = {}): Play {
  const sent: Play['sent'] = [];
  const warnings: string[] = [];
  const drained: number[] = [];
  const calls: AgentCall[] = [];
  const read = (message: Message): unknown => JSON.parse(String(message)) as unknown;
  const game: Play = {
    desk: createDesk(
      {
        client: (message) => void sent.push(['client', read(message)]),
        server: (generation, message) => void sent.push([generation, read(message)]),
        now: () => game.now,
        drained: (generation) => void drained.push(generation),
        introduced: () => {},
        openedInPlace: () => {},
        refusedDiscover: () => {},
        agent: (call) => void calls.push(call),
        allTools: (_, known) => known(game.tools),
        retryFailure: (waits) => {
          if (game.retries && waits) game.desk.holding = true;
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
        name: 'test',
        hold: 50_000,
        promise: true,
        nonce: 'n',
        ...options,
      },
    ),
    sent,
    warnings,
    drained,
    calls,
    tools: undefined,
    now: 0,
    retries: false,
    client: (message) => fromClient(game.desk, asRead(message)),
    server: (generation, message) => fromServer(game.desk, generation, asRead(message)),
    take: () => sent.splice(0),
  };
  return game;
}

/** What the state machine says, and what follows from it for messages. */
export function holdTraffic(desk: Desk): void {
  desk.holding = true;
}

export function release(desk: Desk, failure: Failure | undefined): void {
  desk.failure = failure;
  desk.holding = false;
  handover.endHold(desk);
}

export function takeOver(desk: Desk, generation: number): void {
  const from = desk.serving;
  desk.serving = generation;
  desk.candidate = undefined;
  handover.takeOver(desk, from === generation ? undefined : from, generation);
}

export function retire(desk: Desk): void {
  const { serving } = desk;
  desk.serving = undefined;
  if (serving !== undefined) handover.retire(desk, serving);
}

export function lose(desk: Desk, generation: number, crash?: Failure): handover.Lost {
  if (desk.serving === generation) desk.serving = undefined;
  if (desk.candidate === generation) desk.candidate = undefined;
  return handover.lose(desk, generation, crash);
}

/** As the message would be read: what stands before and behind it is no part of it, and long lines come in pieces. */
function asRead(message: unknown): Message {
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
