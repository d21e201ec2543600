/**
 * What the HTTP front asks of the rest of the program: a place for each client that comes in, and how the servers are.
 * Types only. Which lineage serves whom is decided by `lineages.ts`.
 */
import type { Said } from '../../channel/http/http-client.js';
import type { SentHeaders } from '../../channel/http/request-headers.js';
import type { HttpTransport } from '../../channel/transport.js';
import type { Message } from '../../wire/message.js';
import type { Connect } from '../connection.js';

export interface HttpHome {
  /** Whether the server speaks the modern era. If that is not known yet it is asked, in the words of this request. */
  speaksModern(request: Message): boolean | Promise<boolean>;
  /** Serves one request of the modern era. Resolves when it has left, or those who serve it have. */
  attachModern(connect: Connect): Promise<unknown>;
  /** Serves a client of the legacy era, which says its name in `initialize`. Resolves when its session is over. */
  attachLegacy(connect: Connect, transport: HttpTransport, initialize: Message): Promise<unknown>;
  /** The server speaks HTTP itself, and gets what clients send it in headers. */
  readonly isHttp?: boolean;
  /** What such a server says at a path of its own. Undefined: nobody is there to be asked. */
  askServer?(path: string, headers: SentHeaders): Promise<Said | undefined>;
  /** In bytes. */
  readonly maxMessage: number;
  readonly health: HttpHealth;
  /** Something that people should know. */
  warn(text: string): void;
  /** Something that only a developer of the server may want to know. */
  remark(text: string): void;
}

export interface HttpHealth {
  readonly state: string;
  readonly generation: number | undefined;
  /** Nothing can be served. */
  readonly isDown: boolean;
}
