// A proxy in this process, for what the command line can't say yet: several rules. The streams are the only thing that
// is not real; servers, builds and files are.

import { PassThrough } from 'node:stream';
import type { TestContext } from 'node:test';
import { resolveConfig, type Rule } from '#src/config/config.js';
import { fixedConfig } from '#src/config/config-in-force.js';
import { createEventBus } from '#src/events/bus.js';
import { subscribeLog } from '#src/sinks/log.js';
import { createProxy } from '#src/proxy.js';
import { newMarker, testEnvironment, type Message } from '../../support/harness.js';
import { splitLines } from '../../support/lines.js';
import { deferred, type Deferred } from '../../support/waits.js';
import { cleanup } from '../../support/cleanup.js';

export interface InProcess {
  initialize(): Promise<void>;
  /** What the tool `answer` says. */
  call(): Promise<string>;
  /** The log so far. */
  readonly log: readonly string[];
}

export function inProcess(t: TestContext, cwd: string, rules: readonly Rule[]): InProcess {
  const log: string[] = [];
  const pending = new Map<number, Deferred<Message>>();
  const [input, output, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stderr.resume();
  const lines = splitLines((line) => {
    const message = JSON.parse(line.toString()) as Message;
    if (message.method === undefined) pending.get(Number(message.id))?.resolve(message);
  });
  output.on('data', (chunk: Buffer) => lines.push(chunk));

  const env = testEnvironment(newMarker());
  const resolved = resolveConfig({ command: process.execPath, args: ['server.mjs'] }, { cwd, env });
  if (!resolved.ok) throw new Error(resolved.error);
  const config = fixedConfig({ ...resolved.value.config, rules });
  const write = (line: string) => void log.push(line);
  const events = createEventBus();
  subscribeLog(events, { level: 'debug', format: 'text', write });
  const proxy = createProxy({ input, output, stderr }, config, events);
  cleanup(t, async () => {
    input.end();
    await proxy.closed;
  });

  let lastId = 0;
  const send = (message: object) => void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request = (method: string, params: object) => {
    const id = ++lastId;
    const answer = deferred<Message>(`waiting for the response to ${method}`, () => log.join(''), 60_000);
    pending.set(id, answer);
    send({ id, method, params });
    return answer.promise;
  };
  return {
    log,
    async initialize() {
      const clientInfo = { name: 'test-client', version: '1.0.0' };
      await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
      send({ method: 'notifications/initialized' });
    },
    async call() {
      const { result, error } = await request('tools/call', { name: 'answer' });
      if (error !== undefined) throw new Error(`${error.message}\n${log.join('')}`);
      return result.content[0].text as string;
    },
  };
}
