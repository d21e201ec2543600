/**
 * The simulated client: opens the session of its era, asks, calls, cancels, answers what servers ask it, sends things
 * that no decent client sends, and can stop reading. It keeps to what a client can know; what must be true is the
 * model's.
 */
import type { Kernel } from './kernel.js';
import { TOOLS } from './lists.js';
import type { Model } from './model.js';
import type { Deed, Event, Setting } from './script.js';
import { opensSession, UIDS, type Message } from './facts.js';
import type { Reader, Transport } from './transport.js';

const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'sim', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

const METHODS = [
  'tools/list',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/get',
  'completion/complete',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'made/up',
];

const AGENT = [
  ['restart_server', { reason: 'because' }],
  ['server_status', {}],
  ['server_status', { wait: true }],
  ['list_server_tools', {}],
  ['call_server_tool', { name: 'gamma', arguments: { x: 1 } }],
  ['verify_server_restarted', { since_timestamp: '2020-01-01T00:00:00Z' }],
] as const;

interface ClientParts {
  readonly kernel: Kernel;
  readonly model: Model;
  readonly setting: Setting;
  readonly tamper: Tamper | undefined;
  connect(reader: Reader): Transport;
}

const CATCHES_UP_MS = 1000;

/** Makes something else of a line: for tests of the checks. */
export type Tamper = (line: string) => readonly string[];

interface Question {
  readonly id: unknown;
  readonly token: unknown;
  readonly sim: unknown;
}

export class Client {
  readonly #kernel: Kernel;
  readonly #transport: Transport;
  readonly #model: Model;
  readonly #setting: Setting;
  /** Of no two clients the same. */
  #uids: number;
  #ids = 0;
  /** The ids it has used, newest last, as JSON. */
  readonly #used: string[] = [];
  readonly #questions: Question[] = [];
  /** What each listing has to go on with. */
  readonly #cursors = new Map<string, string>();
  readonly #lists = new Map<string, string>();
  #opening: string | undefined;
  #discovering = false;
  #opened = false;
  #isStalled = false;
  closed = false;
  readonly #tamper: Tamper | undefined;

  constructor({ kernel, model, setting, tamper, connect }: ClientParts, number: number) {
    this.#uids = number * UIDS;
    this.#tamper = tamper;
    this.#kernel = kernel;
    this.#model = model;
    this.#setting = setting;
    this.#transport = connect({
      read: (line, by, owed) => this.#take(line, by, owed),
      accepted: (line) => model.accepted(line),
      unanswered: (uids, because) => this.#unanswered(uids, because),
      hears: (isSo) => model.news.hears(isSo),
      missed: () => model.news.missed(),
      sessionGone: () => this.#sessionGone(),
    });
  }

  /** As the first thing. */
  open(): void {
    if (this.#setting.discovers) {
      this.#discovering = true;
      this.#opening = this.#request('server/discover', {});
    } else if (this.#setting.era === 'legacy') this.#initialize();
    else this.#opened = true;
  }

  #initialize(): void {
    const about = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'sim', version: '1' } };
    this.#opening = this.#request('initialize', about);
  }

  /** False if that makes no sense at the moment. */
  act(event: Event): boolean {
    if (this.closed) return false;
    if (event.do === 'stall') return this.stall(event.on);
    if (event.do === 'answer') return this.#answer(event);
    if (event.do === 'cancel') return this.#cancel(event.which);
    if (event.do === 'garbage') return this.#garbage(event.kind);
    if (event.do === 'vanish' || event.do === 'stream') return this.#transport.act(event);
    if (!this.#opened && !(event.do === 'ask' && METHODS[event.method] === 'ping')) return this.#openAgain();
    switch (event.do) {
      case 'call':
        return this.#call(event);
      case 'ask':
        // What opens the session has its id for itself: else nobody could tell which of them was answered.
        return this.#ask(this.#opened ? event : { ...event, id: 0 });
      case 'agent':
        return this.#agent(event);
      case 'batch':
        return this.#batch(event);
      case 'listen': {
        const [toolsListChanged, promptsListChanged] = [(event.filter & 1) === 1, (event.filter & 2) === 2];
        const notifications = { toolsListChanged, promptsListChanged, resourcesListChanged: (event.filter & 4) === 4 };
        this.#request('subscriptions/listen', { notifications });
        return true;
      }
      case 'tell':
        this.#send(this.#line(undefined, 'notifications/sim', {}));
        return true;
      default:
        return false;
    }
  }

  /** A session that was refused is asked for again. */
  #openAgain(): boolean {
    if (this.#opening !== undefined || this.#setting.era !== 'legacy') return false;
    this.#initialize();
    return true;
  }

  /** What every run ends with: a call that must be executed, or refused for a reason. */
  probe(): number | undefined {
    if (!this.#opened) return undefined;
    this.#request('tools/call', { name: 'gamma', arguments: {} });
    return this.#uids;
  }

  #call({ tool, id, token }: Extract<Deed, { do: 'call' }>): boolean {
    const progress = token ? { progressToken: `t${this.#uids}` } : {};
    this.#request('tools/call', { name: TOOLS[tool], arguments: {}, _meta: progress }, id);
    return true;
  }

  #ask({ method: which, id }: Extract<Deed, { do: 'ask' }>): boolean {
    const method = METHODS[which] ?? 'ping';
    const cursor = this.#cursors.get(method);
    const level = { level: this.#kernel.random.pick(['info', 'debug']) };
    const uri = { uri: `a:r${this.#kernel.random.below(2)}` };
    const unsubscribes = method === 'resources/subscribe' && this.#kernel.random.once(3);
    const params = method.endsWith('/list')
      ? cursor === undefined
        ? {}
        : { cursor }
      : method === 'logging/setLevel'
        ? level
        : method.startsWith('resources/')
          ? uri
          : {};
    const asked = this.#request(unsubscribes ? 'resources/unsubscribe' : method, params, id);
    if (method.endsWith('/list')) this.#lists.set(asked, method);
    return true;
  }

  #agent({ tool, id }: Extract<Deed, { do: 'agent' }>): boolean {
    const [name, given] = AGENT[tool] ?? AGENT[0];
    const token = this.#kernel.random.once(2) ? { progressToken: `t${this.#uids}` } : {};
    this.#request('tools/call', { name, arguments: given, _meta: token }, id);
    return true;
  }

  #batch({ size, id }: Extract<Deed, { do: 'batch' }>): boolean {
    const methods = ['tools/call', 'resources/read', 'notifications/sim'];
    const lines = Array.from({ length: size }, (_, at) => {
      const method = methods[(at + id) % methods.length] ?? 'ping';
      const own = method.startsWith('notifications/') ? undefined : this.#newId(0);
      return this.#line(own, method, method === 'tools/call' ? { name: 'alpha' } : { uri: 'a:r0' });
    });
    this.#send(`[${lines.join(',')}]`);
    return true;
  }

  #cancel(which: number): boolean {
    const open = this.#model.requests.open();
    const asked = open[which % open.length];
    if (asked === undefined) return false;
    if (this.#transport.takeBack(asked.uid)) return true;
    this.#send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${asked.raw}}}`);
    return true;
  }

  #answer({ which, progress }: Extract<Deed, { do: 'answer' }>): boolean {
    const question = this.#questions[which % this.#questions.length];
    if (question === undefined) return false;
    const { id, token, sim } = question;
    if (progress) {
      const params = { progressToken: token, progress: this.#uids, _meta: { sim } };
      this.#send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params }));
    } else {
      this.#questions.splice(this.#questions.indexOf(question), 1);
      this.#send(JSON.stringify({ jsonrpc: '2.0', id, result: { roots: [], sim } }));
    }
    return true;
  }

  #garbage(kind: number): boolean {
    this.#send(['', '{"jsonrpc":"2.0",', 'hello', '{"jsonrpc":"2.0","id":"nobody","result":{}}'][kind] ?? '');
    return true;
  }

  #request(method: string, params: Readonly<Record<string, unknown>>, idKind = 0): string {
    const id = this.#newId(idKind);
    this.#send(this.#line(id, method, params));
    return id;
  }

  /** Mostly a number of its own; sometimes one that is in use, was in use, or looks like another. */
  #newId(kind: number): string {
    const last = this.#used.at(-1) ?? '0';
    const own = `${++this.#ids}`;
    const id =
      kind < 14
        ? own
        : kind < 17
          ? `"s${own}"`
          : kind === 17
            ? last
            : kind === 18
              ? `"${own}"`
              : kind === 19
                ? `${own}.0`
                : kind === 20
                  ? (this.#used[this.#kernel.random.below(this.#used.length)] ?? own)
                  : kind === 21
                    ? `"hotline-${this.#kernel.random.below(4)}-1"`
                    : kind === 22
                      ? `12345678901234567${own}`
                      : `"\\u0061${own}"`;
    this.#used.push(id);
    return id;
  }

  #line(
    id: string | undefined,
    method: string,
    params: Readonly<Record<string, unknown>> & { readonly _meta?: object },
  ): string {
    const meta = { ...params['_meta'], ...(this.#setting.era === 'modern' ? MODERN : {}), uid: ++this.#uids };
    const own = id === undefined ? '' : `"id":${id},`;
    return `{"jsonrpc":"2.0",${own}"method":"${method}","params":${JSON.stringify({ ...params, _meta: meta })}}`;
  }

  #send(line: string): void {
    this.#model.sent(line);
    this.#transport.send(line);
  }

  close(): void {
    this.closed = true;
    this.#transport.close();
  }

  stall(on: boolean): boolean {
    const { facts } = this.#model;
    this.#isStalled = on;
    if (on || !facts.isHttp) facts.deaf = on;
    // What waits in several connections comes a little later.
    else this.#kernel.timer(CATCHES_UP_MS, () => (facts.deaf = this.#isStalled));
    this.#transport.stall(on);
    return true;
  }

  #take(text: string, by?: string, owed?: ReadonlySet<string>): void {
    for (const line of this.#tamper?.(text) ?? [text]) {
      const messages = this.#model.received(line, by, owed);
      for (const message of messages) this.#heard(message);
    }
  }

  #unanswered(uids: readonly number[], because: 'taken back' | 'cut' | 'ended'): void {
    for (const uid of uids) {
      const asked = this.#model.requests.unanswered(uid, because);
      if (asked === undefined || asked.key !== this.#opening) continue;
      this.#opening = undefined;
      this.#discovering = false;
      if (this.#setting.era === 'modern') this.#opened = true;
    }
  }

  /** It opens another one. */
  #sessionGone(): void {
    this.#model.reopened();
    this.#opened = false;
    this.#opening = undefined;
    this.#questions.length = 0;
  }

  #heard({ id, method, result, error, params }: Message): void {
    if (method !== undefined) {
      if (id !== undefined)
        this.#questions.push({ id, token: params?.['_meta']?.['progressToken'], sim: params?.['_meta']?.['sim'] });
      return;
    }
    const key = JSON.stringify(id);
    const list = this.#lists.get(key);
    if (list !== undefined) {
      const next = (result as { nextCursor?: string } | undefined)?.nextCursor;
      if (typeof next === 'string') this.#cursors.set(list, next);
      else this.#cursors.delete(list);
    }
    // Another request may have the same id.
    if (key !== this.#opening || (error === undefined && !opensSession({ result }))) return;
    this.#opening = undefined;
    if (this.#setting.era === 'modern') this.#opened = true;
    else if (error === undefined && !this.#opened && 'protocolVersion' in (result as object)) {
      this.#opened = true;
      if (!this.closed) this.#send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    } else if (this.#discovering) this.#initialize();
    this.#discovering = false;
  }
}
