/**
 * What client and server agreed, folded out of the messages that passed: enough to open the same session with a new
 * process. It sends nothing; lineage/handshake.ts does, by what is written here.
 */
import { readAt } from '../wire/edit.js';
import type { Message } from '../wire/message.js';
import type { Owed } from './ledger.js';

/**
 * legacy: a handshake opens the connection. modern: every request says who asks. A connection's first request that is
 * not
 * `server/discover` decides.
 */
export type Era = 'legacy' | 'modern';

type Members = Readonly<Record<string, unknown>>;

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';
const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion';
/** These belong to the one request that carried them. */
const OF_ONE_REQUEST = new Set(['progressToken', 'io.modelcontextprotocol/logLevel']);
/** What is asked for by these is in force from then on. */
export const AGREEMENTS = new Set(['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']);

export class Session {
  #era: Era | undefined;
  #params: string | undefined;
  #result: Members | undefined;
  #discovered: Members | undefined;
  #serverInfo: unknown;
  #initialized = false;
  #vouched = false;
  #logLevel: string | undefined;
  #latest: Message | undefined;
  /** Of `initialize`. */
  #clientName: string | undefined;
  /** The last modern request that named its client. */
  #namedBy: Message | undefined;
  readonly #subscriptions = new Map<string, string>();

  get era(): Era | undefined {
    return this.#era;
  }

  /** Whether there is anything that a new process would have to be told. */
  get stands(): boolean {
    return this.#era === 'modern' || (this.#era === 'legacy' && this.#result !== undefined);
  }

  /** Whether a server may be asked for its lists: some refuse before the handshake is complete. */
  get complete(): boolean {
    return this.#era === 'modern' || (this.stands && this.#initialized);
  }

  /** The client's own words, as JSON. */
  get initializeParams(): string | undefined {
    return this.#params;
  }

  /** Who the client says it is, if it does: its name, with its version. */
  get client(): string | undefined {
    const info =
      this.#latest === undefined
        ? readAt(Buffer.from(this.#params ?? '{}'), ['clientInfo'])
        : this.#latest.read(['params', '_meta', CLIENT_INFO]);
    const { name, version } = membersOf(info);
    if (typeof name !== 'string' || name === '') return undefined;
    return typeof version === 'string' ? `${name} ${version}` : name;
  }

  /** The server's answer to `initialize`, as the client saw it first. */
  get result(): Members | undefined {
    return this.#result;
  }

  /** What the client was told that the server can do; undefined if it never asked. */
  get capabilities(): Members | undefined {
    const answer = this.#era === 'modern' ? this.#discovered : this.#result;
    return answer === undefined ? undefined : capabilitiesOf(answer);
  }

  get logLevel(): string | undefined {
    return this.#logLevel;
  }

  get initialized(): boolean {
    return this.#initialized;
  }

  /** The params of each `resources/subscribe` that is in force, by URI. */
  get subscriptions(): ReadonlyMap<string, string> {
    return this.#subscriptions;
  }

  /** The params of a request of our own, as JSON: a modern one says who asks, in the client's latest words. */
  paramsFor(params: object | undefined): string | undefined {
    if (this.#era !== 'modern') return params === undefined ? undefined : JSON.stringify(params);
    const meta = this.#latest === undefined ? undefined : this.#latest.read(['params', '_meta']);
    const general = Object.entries(membersOf(meta)).filter(([name]) => !OF_ONE_REQUEST.has(name));
    return JSON.stringify({ ...params, _meta: Object.fromEntries(general) });
  }

  /** A server has said in a `server/discover` result who it is, to the client or to the proxy. */
  met(result: Members): void {
    this.#serverInfo = membersOf(result['_meta'])[SERVER_INFO] ?? this.#serverInfo;
  }

  /** A result of our own, as the era wants it. */
  resultOf(value: Members): Members {
    if (this.#era !== 'modern') return value;
    const info = this.#serverInfo;
    return { ...value, resultType: 'complete', ...(info === undefined ? {} : { _meta: { [SERVER_INFO]: info } }) };
  }

  /**
   * The name of the client that sent this request; without a request, of the one that spoke last. Undefined if it has
   * not said. A modern request names its client itself, and one that does not is of whoever was named before.
   */
  clientNameOf(request?: Message): string | undefined {
    if (this.#era === 'legacy') return this.#clientName;
    return namedIn(request) ?? namedIn(this.#namedBy);
  }

  /** Whether a request by this method tells nothing new: then it need not be shown to `asked`. */
  knows(method: string): boolean {
    return this.#era === 'legacy' && method !== 'initialize';
  }

  /** A request of the client goes to a server. False if it belongs to the modern era and doesn't say so. */
  asked(method: string, request: Message): boolean {
    if (this.#era === undefined && method !== 'server/discover') this.#era = eraOf(method, request);
    // What the client was told in a server's place binds nobody: it may open a session of the other era all the same.
    else if (this.#vouched && method === 'initialize') this.#era = 'legacy';
    if (method === 'initialize') this.#clientName = textAt(request, ['params', 'clientInfo', 'name']);
    // Looked into only when somebody wants to know.
    else if (this.#era !== 'legacy' && request.includes(CLIENT_INFO)) this.#namedBy = request;
    if (method === 'initialize' && this.#result === undefined) this.#params = request.raw(['params']) ?? '{}';
    if (this.#era !== 'modern') return true;
    if (!isModern(request)) return false;
    this.#latest = request;
    return true;
  }

  /** A notification of the client goes to a server. True if every server has to hear it. */
  told(method: string): boolean {
    if (method !== 'notifications/initialized') return false;
    this.#initialized = true;
    return true;
  }

  /**
   * A server answered what the client had asked, and not with an error. Returns the params if every server has to hear
   * it.
   */
  answered(owed: Owed, answer: Message): string | undefined {
    if (owed.method === 'initialize') this.#opened(owed.message, membersOf(answer.read(['result'])));
    else if (owed.method === 'server/discover') this.met((this.#discovered = membersOf(answer.read(['result']))));
    return this.agreed(owed.method, owed.message);
  }

  /**
   * A second `initialize` on one pipe starts a new session: what was agreed in the one before is not in force any more.
   */
  #opened(request: Message, result: Members): void {
    if (this.#result !== undefined) {
      this.#params = request.raw(['params']) ?? '{}';
      this.#initialized = false;
      this.#logLevel = undefined;
      this.#subscriptions.clear();
    }
    this.#result = result;
  }

  /** The same without an answer to look at: what this request asks for is in force. */
  agreed(method: string, request: Message): string | undefined {
    if (!AGREEMENTS.has(method)) return undefined;
    const params = request.raw(['params']) ?? '{}';
    if (method === 'logging/setLevel') this.#logLevel = params;
    else if (method === 'resources/subscribe') this.#subscriptions.set(uriOf(request), params);
    else this.#subscriptions.delete(uriOf(request));
    return params;
  }

  /** The client was told this in place of a server that has not come up. `request`: what it had asked. */
  vouch(method: 'initialize' | 'server/discover', result: Members, request: Message): void {
    this.#vouched = true;
    if (method === 'initialize') this.#result = result;
    else {
      this.met((this.#discovered = result));
      // Who is told that the server is modern goes on as with one. A server that comes up has to prove that it is.
      this.#era ??= 'modern';
      this.#latest ??= request;
    }
  }

  /** What the client was told of the server was a guess. */
  get vouched(): boolean {
    return this.#vouched;
  }
}

/** Of an `initialize` or `server/discover` result. */
export function capabilitiesOf(result: Members): Members {
  return membersOf(result['capabilities']);
}

export function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

function eraOf(method: string, request: Message): Era {
  return method !== 'initialize' && isModern(request) ? 'modern' : 'legacy';
}

function isModern(request: Message): boolean {
  return request.has(['params', '_meta', PROTOCOL_VERSION]);
}

/** Who a modern request says that it is from. */
function namedIn(request: Message | undefined): string | undefined {
  return request === undefined ? undefined : textAt(request, ['params', '_meta', CLIENT_INFO, 'name']);
}

function textAt(message: Message, path: readonly string[]): string | undefined {
  const value = message.read(path);
  return typeof value === 'string' ? value : undefined;
}

function uriOf(request: Message): string {
  return String(request.read(['params', 'uri']));
}
