/**
 * A simulated MCP server: reads its code when it has started, opens sessions in both eras, answers, asks, prints noise,
 * and dies as its program says. Every message it writes carries its generation and a number, so that it can be
 * followed.
 */
import { codeOf, type Contents, type Disk } from './disk.js';
import { SUBSCRIPTION, type Message } from './facts.js';
import { listing, type Lists } from './lists.js';
import type { Audience } from './audience.js';
import type { Network } from './network.js';
import type { Behaviour, Process } from './processes.js';
import { HttpFace } from './server-http.js';
import { LIST_METHODS, resultOf } from './server-results.js';
import { createRandom, mix, type Random } from '../support/random.js';
import type { Program, Script, Setting, Step } from './script.js';

interface ServerSurroundings {
  readonly model: Audience;
  readonly disk: Disk;
  readonly script: Script;
  readonly setting: Setting;
  /** It speaks HTTP there. */
  readonly http?: { readonly network: Network; readonly port: number } | undefined;
}

export class Server implements Behaviour {
  readonly generation: number;
  readonly process: Process;
  readonly #model: Audience;
  readonly #disk: Disk;
  readonly #script: Script;
  readonly #setting: Setting;
  readonly #chance: Random;
  /** The number of the client that it was started for. */
  readonly #lineage: number;
  readonly #isAlone: () => boolean;
  /** Read when it has started. */
  program: Program = {};
  code: Contents | undefined;
  settings = 0;
  #early: string[] = [];
  #said = 0;
  #asked = 0;
  readonly #listens = new Map<Message, unknown>();
  readonly #http: ServerSurroundings['http'];
  #face: HttpFace | undefined;
  /** What it speaks: what the client does, or, where there are clients of both, whatever it is asked in. */
  #era: Setting['era'];

  constructor(
    { model, disk, script, setting, http }: ServerSurroundings,
    process: Process,
    generation: number,
    lineage: number,
    isAlone: () => boolean,
  ) {
    this.generation = generation;
    this.process = process;
    this.#model = model;
    this.#disk = disk;
    this.#script = script;
    this.#setting = setting;
    this.#lineage = lineage;
    this.#isAlone = isAlone;
    this.#http = http;
    this.#era = setting.era;
    this.#chance = createRandom(lineage === 0 ? mix(script.seed, generation) : mix(script.seed, generation, lineage));
    // The program that it will run decides how long it takes to be read; when it is read, it may be another.
    const likely = this.#programOf(disk.now);
    process.later(likely.boot ?? this.#chance.below(8), () => this.#boot());
  }

  #programOf(contents: Contents): Program {
    return this.#script.programs[contents['main.js'] % this.#script.programs.length] ?? {};
  }

  #boot(): void {
    const code = this.#setting.builds ? this.#disk.output : this.#disk.now;
    if (code === undefined) {
      this.process.complain('there is nothing to run\n');
      return this.process.exit(1, null);
    }
    this.code = code;
    this.settings = this.#disk.now['settings.json'];
    this.program = this.#programOf(code);
    this.process.lingers = this.program.lingers ?? false;
    this.#model.booted(this.generation, codeOf(code), this.lists);
    if (this.program.busy === true && !this.#isAlone()) {
      this.process.complain('listen EADDRINUSE: address already in use\n');
      return this.process.exit(1, null);
    }
    this.process.complain(`running ${codeOf(code)}\n`);
    if (this.#dies('boot')) return;
    if (this.program.writes === 'boot') this.#writeNotes();
    if (this.program.writes === 'later') this.process.later(300, () => this.#writeNotes());
    if (this.program.noise === true) this.process.print('Listening…\n');
    if (this.#http !== undefined) this.#face = this.#listenOn(this.#http);
    for (const line of this.#early.splice(0)) this.read(line);
  }

  #listenOn(http: NonNullable<ServerSurroundings['http']>): HttpFace {
    const { process } = this;
    return new HttpFace(
      { process, chance: this.#chance, ...http },
      {
        came: (line) => this.#model.written(this.generation, line),
        refused: (messages) => this.#model.refused(this.generation, messages),
        message: (line, messages) => {
          this.#model.read(this.generation, line);
          if (line.startsWith('[')) this.#batch(messages);
          else for (const message of messages) this.#message(message);
        },
        lost: (messages) => this.#model.lost(this.generation, messages),
        fail: (promise, text) => this.#model.fail(promise, text),
      },
    );
  }

  /** Its clients' sessions, if it speaks HTTP. */
  forget(): void {
    if (this.#face === undefined) return;
    this.note('forgets its sessions');
    this.#face.forget();
  }

  /** It may have come to its end without having served. */
  get isFaulty(): boolean {
    const { dies, refuses, hangs, busy } = this.program;
    return this.code === undefined || [dies, refuses, hangs, busy].some((trait) => trait !== undefined);
  }

  /** Other bytes each time. */
  #writeNotes(): void {
    this.note('writes its notes');
    this.#disk.save('notes.json', this.#disk.now['notes.json'] + 1);
  }

  get lists(): Lists {
    const lists = listing(this.code?.['lists.js'] ?? 0, this.settings);
    return this.program.lacks === true ? { ...lists, prompts: [], resources: [], resourceTemplates: [] } : lists;
  }

  /** True if that was its end. */
  #dies(at: Step, half = '{"jsonrpc":"2.0","id":'): boolean {
    const { dies } = this.program;
    if (dies?.at !== at || (at === 'call' && !this.#chance.once(3))) return false;
    this.crash(dies.code, dies.cut ? half : '');
    return true;
  }

  note(text: string): void {
    this.#model.note(`generation ${this.generation} ${text}`);
  }

  crash(code: number, half: string): void {
    if (half !== '' && this.#face === undefined) this.process.print(half);
    this.process.exit(code < 0 ? null : code, code < 0 ? 'SIGSEGV' : null);
  }

  written(line: string): void {
    this.#model.written(this.generation, line);
  }

  read(line: string): void {
    if (this.code === undefined) {
      this.#early.push(line);
      return;
    }
    this.#model.read(this.generation, line);
    if (line.startsWith('[')) return this.#batch(JSON.parse(line) as Message[]);
    try {
      this.#message(JSON.parse(line) as Message);
    } catch {
      this.#say({ id: null, error: { code: -32700, message: 'Parse error' } }, 0);
    }
  }

  /** Answered as one, when the last is done. */
  #batch(messages: readonly Message[]): void {
    const requests = messages.filter(({ id, method }) => id !== undefined && method !== undefined);
    for (const message of messages) if (!requests.includes(message)) this.#message(message);
    if (requests.length === 0 || this.#dies('call')) return;
    this.process.later(this.#answerTime(), () => {
      const lines = requests.map((request) =>
        this.#stamped({ id: request.id, result: this.#result(request) }, request),
      );
      const line = `[${lines.join(',')}]`;
      const [first] = requests;
      if (this.#face !== undefined && first !== undefined) this.#face.say(first, line, true);
      else this.process.print(`${line}\n`);
    });
  }

  #message(message: Message): void {
    const { method, id } = message;
    if (method === undefined) return;
    if (this.#script.transports !== undefined && id !== undefined) this.#era = eraOf(message) ?? this.#era;
    if (id === undefined) return this.#told(method, message);
    if (method === 'initialize' || method === 'server/discover') return this.#open(message, method);
    if (method === 'subscriptions/listen') return this.#listen(message);
    if (method in LIST_METHODS) {
      if (this.#dies('list')) return;
      if (this.program.hangs === 'list') return;
    }
    if (method === 'tools/call') {
      if (this.#dies('call', this.#stamped({ id, result: {} }, message).slice(0, 25))) return;
      if (this.program.talks === true) this.#progress(message);
      if (this.program.never !== undefined && this.#chance.once(this.program.never)) return;
    }
    this.#answer(message);
  }

  #answer(message: Message): void {
    const list = LIST_METHODS[message.method ?? ''];
    const isLacking = this.program.lacks === true && list !== 'tools';
    const failed = list !== undefined && (this.program.listFails === true || isLacking);
    const what = failed
      ? { id: message.id, error: { code: -32000, message: 'no lists today' } }
      : { id: message.id, result: this.#result(message) };
    this.#say(what, this.#answerTime(), message);
    if (this.program.doubles !== true || this.#face !== undefined) return;
    if (this.#chance.once(4)) this.#say(what, this.#answerTime(), message);
    if (this.#chance.once(6)) this.#say({ id: this.#chance.pick([7, 'x', 1e21]), result: {} }, 0);
  }

  #answerTime(): number {
    return this.program.delay === undefined ? this.#chance.below(2) : this.#chance.below(this.program.delay);
  }

  #open(message: Message, method: string): void {
    if (this.#dies('handshake') || this.program.hangs === 'handshake') return;
    if (method === 'server/discover' && this.#setting.era === 'legacy' && this.#script.transports === undefined) {
      return this.#say({ id: message.id, error: { code: -32601, message: 'Method not found' } }, 0, message);
    }
    if (this.program.refuses === true && method === 'initialize') {
      return this.#say({ id: message.id, error: { code: -32602, message: 'not today' } }, 0, message);
    }
    this.#say({ id: message.id, result: this.#result(message) }, this.#answerTime(), message);
  }

  #listen(message: Message): void {
    this.#listens.set(message, message.id);
    const notifications = message.params?.['notifications'];
    this.#say(
      {
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications, _meta: { [SUBSCRIPTION]: message.id } },
      },
      this.#answerTime(),
      this.#face === undefined ? undefined : message,
    );
  }

  #told(method: string, message: Message): void {
    if (method === 'notifications/initialized') {
      if (this.#dies('opened')) return;
      if (this.program.asks === true) this.ask();
    }
    if (method === 'notifications/cancelled')
      for (const [listen, id] of this.#listens) if (id === message.params?.['requestId']) this.#listens.delete(listen);
  }

  /** Ids restart with every process. */
  ask(): void {
    const id = this.#asked++;
    const token = id % 2;
    this.#say({ id, method: 'roots/list', params: { _meta: { progressToken: token } } }, 0);
  }

  #progress(about: Message): void {
    const { params } = about;
    const progressToken = params?.['_meta']?.['progressToken'];
    if (progressToken === undefined) return;
    for (let progress = 1; progress <= 3; progress++) {
      this.#say(
        { method: 'notifications/progress', params: { progressToken, progress } },
        progress * 3,
        this.#face === undefined ? undefined : about,
      );
    }
  }

  /** Something of its own accord. */
  speak(what: number): void {
    const era = this.#era;
    switch (what) {
      case 0:
      case 1:
        return this.#say({ method: 'notifications/message', params: { level: 'info', data: 'hello' } }, 0);
      case 2:
        return era === 'legacy' ? this.ask() : undefined;
      case 3:
        return this.#tellChange('tools');
      case 4:
        return this.process.print('{"level":30,"msg":"a log line"}\n');
      case 5:
        return this.process.print('no message at all\n');
      case 6:
        // An answer to nothing, under an id that may be in use elsewhere.
        return this.#face === undefined
          ? this.#say({ id: this.#chance.below(24), result: { content: [] } }, 0)
          : undefined;
      case 7:
        return this.#say({ method: 'notifications/resources/updated', params: { uri: 'a:r0' } }, 0);
      case 8:
        return era === 'legacy'
          ? this.#say({ method: 'notifications/cancelled', params: { requestId: this.#asked - 1 } }, 0)
          : undefined;
      default:
        return undefined;
    }
  }

  #tellChange(kind: string): void {
    const method = `notifications/${kind}/list_changed`;
    if (this.#era === 'legacy') return this.#say({ method, params: {} }, 0);
    for (const [listen, id] of this.#listens)
      this.#say(
        { method, params: { _meta: { [SUBSCRIPTION]: id } } },
        0,
        this.#face === undefined ? undefined : listen,
      );
  }

  #result(request: Message): Record<string, unknown> {
    const { program, lists, generation } = this;
    return resultOf(request, { isModern: this.#era === 'modern', program, lists, generation });
  }

  #say(message: Record<string, unknown>, after: number, about?: Message): void {
    const write = (): void => this.#write(message, about);
    if (after === 0) write();
    else this.process.later(after, write);
  }

  #write(message: Record<string, unknown>, about: Message | undefined): void {
    const face = this.#face;
    if (face === undefined) return this.process.print(`${this.#stamped(message, about)}\n`);
    if (about !== undefined) {
      const isAnswer = 'result' in message || 'error' in message;
      return face.say(about, this.#stamped(message, about, face.ownerOf(about)), isAnswer);
    }
    const session = face.pick();
    if (session !== undefined) face.tell(session, this.#stamped(message, undefined, session.of));
  }

  /** The mark by which the message is known again. */
  #stamped(message: Record<string, unknown>, about?: Message, of?: number): string {
    const uid = about?.params?.['_meta']?.['uid'];
    const sim = { c: this.#lineage, g: this.generation, n: ++this.#said, uid, of };
    const body = 'result' in message ? 'result' : 'error' in message ? 'error' : 'params';
    const inner = message[body] as Record<string, unknown>;
    const meta = body === 'error' ? { data: { sim } } : { _meta: { ...(inner['_meta'] as object | undefined), sim } };
    const whole: Message = { jsonrpc: '2.0', ...message, [body]: { ...inner, ...meta } } as Message;
    const line = JSON.stringify(whole);
    this.#model.said(this.generation, this.#said, line, whole);
    return line;
  }

  inputEnded(): void {
    // Its clients come by other ways.
    if (this.program.ignoresEnd === true || this.#face !== undefined) return;
    // A modern server ends its streams as it goes.
    for (const id of this.#listens.values()) this.#say({ id, result: { resultType: 'complete' } }, 0);
    this.process.later(this.#chance.below(20), () => this.process.exit(0, null));
  }

  signalled(name: string): void {
    if (name === 'SIGHUP' && this.#setting.settings === 'SIGHUP') {
      this.process.later(this.#chance.below(100), () => this.#reread());
      return;
    }
    if (this.program.ignoresTerm === true) return;
    this.process.later(this.#chance.below(30), () => this.process.exit(null, name));
  }

  /** The settings have changed, and it takes notice. */
  noticed(): void {
    if (this.#setting.settings === 'notify') this.process.later(this.#chance.below(100), () => this.#reread());
  }

  #reread(): void {
    this.settings = this.#disk.now['settings.json'];
    this.#model.reread(this.generation, this.lists);
  }

  gone(): void {
    this.#face?.gone();
    this.#model.gone(this.generation);
  }
}

/** The era of a client, if the request tells. */
function eraOf({ method, params }: Message): Setting['era'] | undefined {
  if (method === 'initialize') return 'legacy';
  return params?.['_meta']?.['io.modelcontextprotocol/protocolVersion'] === undefined ? undefined : 'modern';
}
