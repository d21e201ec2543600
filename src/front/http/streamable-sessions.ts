/**
 * The sessions of Streamable HTTP's legacy era: who has which, by ids that nobody can guess, and when one ends: by
 * DELETE, with its server, or because nothing of it has been open for too long. What a session does with messages is
 * its own.
 */
import { randomBytes } from 'node:crypto';
import type { Message } from '../../wire/message.js';
import type { HttpHome } from './home.js';
import { StreamableSession, type SessionContext } from './streamable-session.js';

export interface StreamableEntry {
  readonly id: string;
  readonly session: StreamableSession;
  /** As `initialize` was answered; undefined before that. */
  version: string | undefined;
}

export interface SessionLimits {
  readonly maxSessions: number;
  /** In milliseconds; 0: never. */
  readonly sessionTimeout: number;
}

export class StreamableSessions {
  readonly #home: HttpHome;
  readonly #limits: SessionLimits;
  readonly #context: Omit<SessionContext, 'opened' | 'abandoned'>;
  readonly #entries = new Map<string, StreamableEntry>();

  constructor(home: HttpHome, limits: SessionLimits, context: Omit<SessionContext, 'opened' | 'abandoned'>) {
    this.#home = home;
    this.#limits = limits;
    this.#context = context;
  }

  get size(): number {
    return this.#entries.size;
  }

  find(id: string): StreamableEntry | undefined {
    return this.#entries.get(id);
  }

  /** For a client that sends `initialize`. If that is refused there will be no session. */
  open(initialize: Message): StreamableEntry {
    const id = randomBytes(16).toString('hex');
    const session = new StreamableSession({
      ...this.#context,
      opened: (answer) => {
        if (entry.version !== undefined) return;
        const version = answer.read(['result', 'protocolVersion']);
        if (typeof version === 'string') entry.version = version;
        // The answer goes out first.
        else setImmediate(() => this.end(entry));
      },
      abandoned: () => this.end(entry),
    });
    const entry: StreamableEntry = { id, session, version: undefined };
    this.#entries.set(id, entry);
    void this.#home.attachLegacy(session.connect, 'http', initialize).then(() => this.#remove(entry));
    return entry;
  }

  /** The client wants it, or has not been heard of. */
  end(entry: StreamableEntry): void {
    this.#entries.delete(entry.id);
    entry.session.leave();
  }

  /** Ends those that have been idle for too long. */
  endIdle(): void {
    const { sessionTimeout } = this.#limits;
    if (sessionTimeout === 0) return;
    for (const entry of this.#entries.values()) if (entry.session.idleMs > sessionTimeout) this.end(entry);
  }

  /** Those who serve it have ended. */
  #remove(entry: StreamableEntry): void {
    this.#entries.delete(entry.id);
    entry.session.end();
  }
}
