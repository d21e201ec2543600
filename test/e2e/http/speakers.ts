// One client of each transport that sends texts as they are, any number at a time, and hands back the raw messages
// that came for each: those that name its progress token, and its answer. What is said and what must come is the
// test's.

import type { TestContext } from 'node:test';
import { meta } from '../modern/modern.js';
import { legacySession, send, sseClient } from './raw.js';
import type { Answer } from './raw.js';
import type { Served } from './served.js';

export interface Said {
  readonly id: string | number;
  readonly method: string;
  /** `name` or `uri`, where the method has one. */
  readonly named: string | undefined;
  /** The message. `meta`: members of its `params._meta` that its era needs, each after a comma. */
  text(meta: string): string;
}

export interface Heard {
  /** In their order: progress, then the answer. */
  readonly lines: readonly string[];
  /** Of the response, where it says more than that the message was taken. */
  readonly status: number | undefined;
}

export interface Speaker {
  readonly kind: string;
  readonly isModern: boolean;
  readonly isHttp: boolean;
  say(said: Said): Promise<Heard>;
}

const modernMembers = Object.entries(meta)
  .map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`)
  .join('');

/** Over HTTP, in both eras and both legacy transports. */
export async function speakersOverHttp(t: TestContext, { url, sse }: Served): Promise<Speaker[]> {
  const session = await legacySession(url);
  const client = await sseClient(t, sse);
  const { past } = client.stream.events;
  return [
    {
      kind: 'streamable',
      isModern: false,
      isHttp: true,
      say: async ({ text }) => heardFrom(await send(url, { headers: session.headers, body: text('') })),
    },
    {
      kind: 'sse',
      isModern: false,
      isHttp: true,
      async say({ id, text }) {
        await send(client.endpoint, { body: text('') });
        await client.stream.message({ id });
        return { lines: past.filter(({ message }) => isFor(message, id)).map(({ data }) => data), status: undefined };
      },
    },
    {
      kind: 'modern',
      isModern: true,
      isHttp: true,
      async say({ method, named, text }) {
        const headers = {
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          'mcp-name': named === undefined ? undefined : inHeader(named),
        };
        return heardFrom(await send(url, { headers, body: text(modernMembers) }));
      },
    },
  ];
}

/** On the proxy's own streams. A legacy one has been introduced already. */
export function speakerOnStdio(proxy: Served, isModern: boolean): Speaker {
  return {
    kind: isModern ? 'stdio modern' : 'stdio',
    isModern,
    isHttp: false,
    async say({ id, text }) {
      await proxy.send(text(isModern ? modernMembers : ''));
      await proxy.response(id);
      const lines = proxy.messages.filter(({ message }) => isFor(message, id)).map(({ raw }) => raw.toString());
      return { lines, status: undefined };
    },
  };
}

/** A token is the id of the request that it belongs to. */
function isFor(message: { id?: unknown; method?: string; params?: { progressToken?: unknown } }, id: unknown): boolean {
  return (
    message !== undefined && (message.method === undefined ? message.id === id : message.params?.progressToken === id)
  );
}

function heardFrom({ status, text, headers }: Answer): Heard {
  const isStream = headers['content-type'] === 'text/event-stream';
  const data = /^data: (.*)$/gm;
  return { status, lines: isStream ? Array.from(text.matchAll(data), ([, line = '']) => line) : [text] };
}

/** As the v2 client has it: what is no plain ASCII, or would be taken for something else, is encoded. */
function inHeader(value: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?');
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}
