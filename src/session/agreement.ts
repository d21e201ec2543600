/**
 * What a client and its servers agreed, folded out of the messages that passed: enough to open the same session with a
 * new process. It sends nothing; lineage/handshake.ts does, by what is recorded here.
 */
import { readAt } from '../wire/edit.js';
import type { Beside, Message } from '../wire/message.js';
import { toJson } from '../wire/to-json.js';

/**
 * legacy: a handshake opens the connection. modern: every request says who asks. A connection's first request that is
 * not `server/discover` decides.
 */
export type Era = 'legacy' | 'modern';

type Members = Readonly<Record<string, unknown>>;

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';
const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion';
/** These belong to the one request that carried them. */
const OF_ONE_REQUEST = new Set(['progressToken', 'io.modelcontextprotocol/logLevel']);
/** The settings: what is asked for by these is in force from then on. */
export const SETTINGS = new Set(['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']);

export class Agreement {
  #era: Era | undefined;
  #params: string | undefined;
  #result: Members | undefined;
  #discovered: Members | undefined;
  #serverInfo: unknown;
  #hasClientInitialized = false;
  #isLocalResult = false;
  #logLevel: string | undefined;
  #latest: Message | undefined;
  /** Of `initialize`. */
  #clientName: string | undefined;
  /** The last modern request that named its client. */
  #namedBy: Message | undefined;
  readonly #subscriptions = new Map<string, string>();
  #beside: Beside | undefined;

  get era(): Era | undefined {
    return this.#era;
  }

  /** Whether there is anything that a new process would have to be told. */
  get isOpen(): boolean {
    return this.#era === 'modern' || (this.#era === 'legacy' && this.#result !== undefined);
  }

  /** Whether a server may be asked for its lists: some refuse before the handshake is complete. */
  get isInitialized(): boolean {
    return this.#era === 'modern' || (this.isOpen && this.#hasClientInitialized);
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
    return clientIn(info);
  }

  /** What a session has to be opened with once more; undefined: there is none, or none is needed. */
  get opening():
    | {
        readonly initialize: string;
        readonly isInitialized: boolean;
        readonly settings: readonly { readonly method: string; readonly params: string }[];
      }
    | undefined {
    if (this.#era !== 'legacy' || this.#result === undefined || this.#params === undefined) return undefined;
    const level = this.#logLevel === undefined ? [] : [{ method: 'logging/setLevel', params: this.#logLevel }];
    const subscribed = [...this.#subscriptions.values()].map((params) => ({ method: 'resources/subscribe', params }));
    const settings = [...level, ...subscribed];
    return { initialize: this.#params, isInitialized: this.#hasClientInitialized, settings };
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

  /** The client has said so. */
  get hasClientInitialized(): boolean {
    return this.#hasClientInitialized;
  }

  /** The params of each `resources/subscribe` that is in force, by URI. */
  get subscriptions(): ReadonlyMap<string, string> {
    return this.#subscriptions;
  }

  /** The params of a request of our own, as JSON: a modern one says who asks, in the client's latest words. */
  paramsFor(params: object | undefined): string | undefined {
    if (this.#era !== 'modern') return params === undefined ? undefined : toJson(params);
    const meta = this.#latest === undefined ? undefined : this.#latest.read(['params', '_meta']);
    const general = Object.entries(membersOf(meta)).filter(([name]) => !OF_ONE_REQUEST.has(name));
    return toJson({ ...params, _meta: Object.fromEntries(general) });
  }

  /** A server has said in a `server/discover` result who it is, to the client or to the proxy. */
  recordServerInfo(result: Members): void {
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

  /** Whether a request by this method tells nothing new: then it need not be recorded. */
  isRoutine(method: string): boolean {
    return this.#era === 'legacy' && method !== 'initialize';
  }

  /** Whether every server has to hear of a notification by this method. */
  concernsEveryServer(method: string): boolean {
    return method === 'notifications/initialized';
  }

  /** The params of a request that asks for a setting, which every server has to hear of; else undefined. */
  settingIn(method: string, request: Message): string | undefined {
    return SETTINGS.has(method) ? (request.raw(['params']) ?? '{}') : undefined;
  }

  /** Whether a request that was recorded last says which era it belongs to. */
  namesEra(request: Message): boolean {
    return this.#era !== 'modern' || this.#latest === request;
  }

  /** What came with a message of the client: its latest words on who it is count. */
  /** What came with the client's last message. */
  get beside(): Beside | undefined {
    return this.#beside;
  }

  recordBeside(beside: Beside): void {
    this.#beside = beside;
  }

  /** A request of the client goes to a server. */
  recordRequest(method: string, request: Message): void {
    // Nobody who has opened a session of the legacy era becomes modern.
    const modern = this.#era !== 'legacy' && isModern(request);
    if (this.#era === undefined && method !== 'server/discover')
      this.#era = modern && method !== 'initialize' ? 'modern' : 'legacy';
    // What the client was told in a server's place binds nobody: it may open a session of the other era all the same.
    else if (this.#isLocalResult && method === 'initialize') this.#era = 'legacy';
    if (method === 'initialize') this.#clientName = textAt(request, ['params', 'clientInfo', 'name']);
    // Looked into only when somebody wants to know.
    else if (this.#era !== 'legacy' && request.includes(CLIENT_INFO)) this.#namedBy = request;
    if (method === 'initialize' && this.#result === undefined) this.#params = request.raw(['params']) ?? '{}';
    if (this.#era === 'modern' && modern) this.#latest = request;
  }

  /** A notification of the client goes to a server. */
  recordNotification(method: string): void {
    if (method === 'notifications/initialized') this.#hasClientInitialized = true;
  }

  /** A server answered what the client had asked, and not with an error. */
  recordResponse(method: string, request: Message, response: Message): void {
    if (method === 'initialize') this.#recordInitialize(request, membersOf(response.read(['result'])));
    else if (method === 'server/discover')
      this.recordServerInfo((this.#discovered = membersOf(response.read(['result']))));
    this.recordSetting(method, request);
  }

  /**
   * A second `initialize` on one pipe starts a new session: what was agreed in the one before is not in force any more.
   */
  #recordInitialize(request: Message, result: Members): void {
    if (this.#result !== undefined) {
      this.#params = request.raw(['params']) ?? '{}';
      this.#hasClientInitialized = false;
      this.#logLevel = undefined;
      this.#subscriptions.clear();
    }
    this.#result = result;
  }

  /** What this request asks for is in force from now on, if it asks for a setting. */
  recordSetting(method: string, request: Message): void {
    const params = this.settingIn(method, request);
    if (params === undefined) return;
    if (method === 'logging/setLevel') this.#logLevel = params;
    else if (method === 'resources/subscribe') this.#subscriptions.set(uriOf(request), params);
    else this.#subscriptions.delete(uriOf(request));
  }

  /** The client was told this in place of a server that has not come up. `request`: what it had asked. */
  recordLocalResult(method: 'initialize' | 'server/discover', result: Members, request: Message): void {
    this.#isLocalResult = true;
    if (method === 'initialize') this.#result = result;
    else {
      this.recordServerInfo((this.#discovered = result));
      // Who is told that the server is modern goes on as with one. A server that comes up has to prove that it is.
      this.#era ??= 'modern';
      this.#latest ??= request;
    }
  }

  /** What the client was told of the server was a guess. */
  get isLocalResult(): boolean {
    return this.#isLocalResult;
  }
}

/** Of an `initialize` or `server/discover` result. */
export function capabilitiesOf(result: Members): Members {
  return membersOf(result['capabilities']);
}

/** Name and version, of the `clientInfo` of a client. */
export function clientIn(info: unknown): string | undefined {
  const { name, version } = membersOf(info);
  if (typeof name !== 'string' || name === '') return undefined;
  return typeof version === 'string' ? `${name} ${version}` : name;
}

export function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
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
