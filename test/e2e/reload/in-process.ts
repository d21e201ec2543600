// A proxy in this process, for what the command line can't say yet: several rules. The streams are the only thing that
// is not real; servers, builds and files are.

import { PassThrough } from 'node:stream';
import type { TestContext } from 'node:test';
import { resolveConfig, type Rule } from '#src/config/config.js';
import { fixedConfig } from '#src/config/config-in-force.js';
import { createEventBus } from '#src/events/bus.js';
import { subscribeLog } from '#src/sinks/log.js';
import { createProxy } from '#src/proxy.js';
import { cleanup } from '../../support/cleanup.js';
import { converse, type Conversation } from '../../support/conversation.js';
import { newMarker, testEnvironment } from '../../support/harness.js';
import { createTranscript } from '../../support/transcript.js';

export interface InProcess extends Conversation {
  /** What the tool `answer` says. */
  call(): Promise<string>;
  /** The log so far. */
  readonly log: readonly string[];
}

export function inProcess(t: TestContext, cwd: string, rules: readonly Rule[]): InProcess {
  const log: string[] = [];
  const [input, output, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stderr.resume();
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

  const client = converse({ stdin: input, stdout: output }, createTranscript('transcript of a proxy in this process'));
  return {
    ...client,
    log,
    async call() {
      const { result, error } = await client.request('tools/call', { name: 'answer' }, { deadline: 60_000 });
      if (error !== undefined) throw new Error(`${error.message}\n${log.join('')}`);
      return result.content[0].text as string;
    },
  };
}
