// What a client of the soak asks next: which method, how large, how slow, with progress or not, to be cancelled or not.
// Sending it and judging the answer are left to client.ts and tally.ts. Pure, by the chance it is given.

import type { Random } from '../support/random.js';

export type Era = 'legacy' | 'modern';

/** One request, as far as its answer is judged by it. */
export interface Call {
  readonly seq: number;
  readonly id: string | number;
  readonly method: string;
  /** Calls of one lane are executed in their order. */
  readonly lane?: number;
  /** Of the server's tools; `work` alone has an effect. */
  readonly tool?: 'work' | 'look' | 'die';
  /** By way of, or one of, the agent's own tools. */
  readonly agent?: string;
  /** The version that was on the disk when it was sent. */
  readonly asked: number;
  /** How often the disk had been broken by then, and whether it was. */
  readonly breaks: number;
  readonly broken: boolean;
  /** The characters that it brings and asks for. */
  readonly hear: number;
  readonly say: number;
  readonly steps: number;
  /** Milliseconds after which the client takes it back. */
  readonly cancelAfter?: number;
}

export interface Plan {
  readonly era: Era;
  readonly agentTools: boolean;
}

export interface Wanted extends Omit<Call, 'asked' | 'breaks' | 'broken'> {
  readonly params: Record<string, unknown>;
}

const sizes: readonly (readonly [weight: number, between: readonly [number, number]])[] = [
  [78, [100, 1_000]],
  [14, [1_000, 20_000]],
  [6, [20_000, 200_000]],
  [2, [200_000, 1_000_000]],
];

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'soak', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** What every request of an era carries. */
export function inEra(era: Era, params: object, more: object = {}): Record<string, unknown> {
  const own = era === 'modern' ? { ...meta, ...more } : more;
  return Object.keys(own).length === 0 ? { ...params } : { ...params, _meta: own };
}

export function nextCall(seq: number, { era, agentTools }: Plan, random: Random): Wanted {
  const id = seq % 2 === 0 ? seq : `call-${seq}`;
  const quiet = { seq, id, hear: 0, say: 0, steps: 0 };
  const plain = (method: string, params: object = {}): Wanted => ({ ...quiet, method, params: inEra(era, params) });
  const tool = (name: 'work' | 'look', pace: 'quick' | 'slow', agent = false): Wanted => {
    const hear = random.size(...random.weighted(sizes));
    const say = random.chance(0.5) ? random.whole(0, 100) : random.size(...random.weighted(sizes));
    const ms = pace === 'slow' ? random.size(100, 2_000) : 0;
    const steps = !agent && random.chance(pace === 'slow' ? 0.5 : 0.05) ? random.whole(1, 5) : 0;
    const given = { seq, say, ms, steps, text: 'x'.repeat(hear) };
    const token = steps === 0 ? {} : { progressToken: id };
    const own = { name, arguments: given };
    const params = agent ? { name: 'call_server_tool', arguments: own } : own;
    const cancelAfter = random.chance(pace === 'slow' ? 0.3 : 0.03) ? random.whole(0, 300) : undefined;
    return {
      ...quiet,
      method: 'tools/call',
      tool: name,
      hear,
      say,
      steps,
      params: inEra(era, params, token),
      ...(agent && { agent: 'call_server_tool' }),
      ...(cancelAfter !== undefined && { cancelAfter }),
    };
  };
  const ofAgent = (name: string, given: object): Wanted => ({
    ...plain('tools/call', { name, arguments: given }),
    agent: name,
  });
  const make = random.weighted<() => Wanted>([
    [50, () => tool('work', 'quick')],
    [18, () => tool('look', 'quick')],
    [5, () => tool('work', 'slow')],
    [5, () => tool('look', 'slow')],
    [10, () => plain('resources/read', { uri: 'soak://facts' })],
    [6, () => plain('tools/list')],
    [3, () => (era === 'legacy' ? plain('ping') : plain('server/discover'))],
    [agentTools ? 3 : 0, () => ofAgent('server_status', random.chance(0.5) ? { wait: true } : {})],
    [agentTools ? 0.3 : 0, () => ofAgent('restart_server', { reason: 'the soak' })],
    [agentTools ? 3 : 0, () => tool('look', 'quick', true)],
  ]);
  return make();
}
