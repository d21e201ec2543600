// One client in a crowd: what it has asked, what it may hear, and everything that was wrong with what it heard. It
// answers questions with its name.

import type { Json } from '../../support/message.js';
import type { Kind, Message, Talker } from './talkers.js';
import { isModern } from './talkers.js';

const PREFIX = 'io.modelcontextprotocol/';
export const LEVELS = ['debug', 'info', 'warning', 'error'];
/** What the proxy calls things towards servers. */
const OUR_NAMES = /hotline-(id|token)|mcp-hotline:/;

interface Asked {
  readonly isTakenBack: boolean;
  /** The version that was on the disk before it was asked. */
  readonly since: number;
}

interface Heard {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Json;
  readonly result?: Json;
  readonly error?: { readonly message: string };
}

export class Guest {
  /** No other client of the whole test has it. */
  readonly name: string;
  readonly kind: Kind;
  readonly faults: string[] = [];
  /** How often it has heard what. */
  readonly heard = new Map<string, number>();
  readonly #asked = new Map<string, Asked>();
  readonly #tokens = new Set<unknown>();
  readonly #subscribed = new Set<string>();
  readonly #listens = new Set<unknown>();
  #level = LEVELS.length;
  #next = 1;
  #talker: Talker | undefined;
  #onQuiet: (() => void) | undefined;
  /** It is about to open its session. */
  #isOpening = true;
  /** What it has asked for and not got yet is lost. */
  #isLeaving = false;

  constructor(kind: Kind, name: string) {
    this.kind = kind;
    this.name = name;
  }

  come(talker: Talker): void {
    this.#talker = talker;
    this.#isOpening = false;
  }

  call(steps: readonly string[], given: Record<string, unknown>, version: number, asksForLog: boolean): void {
    this.#talker?.say(this.#newCall(steps, given, version, asksForLog));
  }

  /** Two calls in one batch, and with them a request taken back that may be another client's. */
  callTwice(steps: readonly string[], given: Record<string, unknown>, version: number): void {
    const calls = [0, 1].map(() => this.#newCall(steps, given, version, false));
    const takesBack = { method: 'notifications/cancelled', params: { requestId: this.#next + 3 } };
    this.#talker?.say([...calls, takesBack]);
  }

  #newCall(steps: readonly string[], given: Record<string, unknown>, version: number, asksForLog: boolean): Message {
    // Tokens meet on purpose, but no two calls of one client that run have the same.
    const id = this.#next++;
    const meta = {
      progressToken: id,
      ...(isModern(this.kind) && asksForLog && { [`${PREFIX}logLevel`]: 'debug' }),
    };
    this.#tokens.add(id);
    const params = { name: 'work', arguments: { ...given, of: this.name, steps }, _meta: meta };
    const message = { id, method: 'tools/call', params };
    this.#note(message, version);
    return message;
  }

  read(): void {
    this.#ask({ id: this.#next++, method: 'resources/read', params: { uri: 'of:all', of: this.name } });
  }

  setLevel(level: number): void {
    this.#level = Math.min(this.#level, level);
    this.#ask({ id: this.#next++, method: 'logging/setLevel', params: { level: LEVELS[level] } });
  }

  subscribe(isOwn: boolean, how: 'subscribe' | 'unsubscribe'): void {
    const uri = isOwn ? `of:${this.name}` : 'of:all';
    if (how === 'subscribe') this.#subscribed.add(uri);
    this.#ask({ id: this.#next++, method: `resources/${how}`, params: { uri } });
  }

  /** Clients of one SDK all begin with this id. */
  listen(number: number): void {
    const id = `listen:${number}`;
    if (this.#listens.has(id)) return;
    this.#listens.add(id);
    const uris = [`of:${this.name}`, 'of:all'];
    for (const uri of uris) this.#subscribed.add(uri);
    const notifications = { toolsListChanged: true, resourceSubscriptions: uris };
    this.#talker?.say({ id, method: 'subscriptions/listen', params: { of: this.name, notifications } });
  }

  takeBack(): void {
    const [key] = [...this.#asked].find(([, { isTakenBack }]) => !isTakenBack) ?? [];
    if (key === undefined) return;
    this.#asked.set(key, { ...(this.#asked.get(key) as Asked), isTakenBack: true });
    this.#talker?.takeBack(JSON.parse(key) as number);
    this.#look();
  }

  /** Under ids that others use and it does not. */
  takeBackNothing(): void {
    if (!isModern(this.kind)) this.#talker?.takeBack(this.#next + 3);
  }

  /** Resolves when it waits for nothing any more. */
  quiet(): Promise<void> {
    return new Promise((resolve) => {
      this.#onQuiet = resolve;
      this.#look();
    });
  }

  get waitsFor(): string[] {
    return [...this.#asked].flatMap(([key, { isTakenBack }]) => (isTakenBack ? [] : [key]));
  }

  leave(): Promise<void> {
    this.#isLeaving = true;
    return this.#talker?.leave() ?? Promise.resolve();
  }

  #ask(message: Message): void {
    this.#note(message, 0);
    this.#talker?.say(message);
  }

  #note({ id }: Message, since: number): void {
    this.#asked.set(JSON.stringify(id), { isTakenBack: false, since });
  }

  #look(): void {
    if (this.waitsFor.length === 0) this.#onQuiet?.();
  }

  readonly listener = (raw: string): void => {
    for (const [name] of raw.matchAll(/\bc\d+\./g)) if (name !== this.name) this.#fault(`of ${name}`, raw);
    if (OUR_NAMES.test(raw)) this.#fault('names of the proxy', raw);
    const parsed = JSON.parse(raw) as Heard | Heard[];
    for (const message of [parsed].flat()) this.#hear(message, raw);
  };

  #hear(message: Heard, raw: string): void {
    const { id, method, params = {} } = message;
    const what = method ?? (message.error === undefined ? 'result' : 'error');
    this.heard.set(what, (this.heard.get(what) ?? 0) + 1);
    switch (method) {
      case undefined:
        return this.#answered(message, raw);
      case 'notifications/progress':
        if (!this.#tokens.has(params['progressToken'])) this.#fault('progress on what it did not ask', raw);
        return;
      case 'notifications/message':
        if (!isModern(this.kind) && LEVELS.indexOf(params['level'] as string) < this.#level)
          this.#fault('a log message that it did not want', raw);
        return;
      case 'notifications/resources/updated':
        if (!this.#subscribed.has(params['uri'] as string)) this.#fault('news of what it is not subscribed to', raw);
        return;
      case 'notifications/tools/list_changed':
      case 'notifications/subscriptions/acknowledged':
        if (isModern(this.kind) && !this.#listens.has(params['_meta']?.[`${PREFIX}subscriptionId`]))
          this.#fault('a stream that it did not open', raw);
        return;
      case 'notifications/of-its-own':
      case 'notifications/cancelled':
        return;
      default:
        if (id === undefined) this.#fault('a notification that nobody sends', raw);
        else if (method === 'ping') this.#talker?.say({ id, result: {} });
        else this.#talker?.say({ id, result: { by: this.name } });
    }
  }

  #answered({ id, result, error }: Heard, raw: string): void {
    if (this.#isOpening && id === 0) return;
    const key = JSON.stringify(id);
    const asked = this.#asked.get(key);
    if (asked === undefined) return this.#fault('an answer that it did not ask for, or a second one', raw);
    this.#asked.delete(key);
    if (error !== undefined && !asked.isTakenBack && !this.#isLeaving) this.#fault('an error', raw);
    const text = result?.['content']?.[0]?.text as string | undefined;
    if (text?.startsWith('{') === true && result?.['isError'] !== true) {
      const { version, answer } = JSON.parse(text) as { version: number; answer?: Record<string, unknown> };
      if (version < asked.since) this.#fault(`stale, ${asked.since} was saved before`, raw);
      if (answer !== undefined && answer['by'] !== this.name && answer['refused'] === undefined)
        this.#fault('the answer of somebody else, or of nobody', raw);
    }
    this.#look();
  }

  #fault(what: string, raw: string): void {
    this.faults.push(`${this.name} (${this.kind}) got ${what}: ${raw.slice(0, 500)}`);
  }
}
