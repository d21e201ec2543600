/**
 * P2, P3: messages keep their order in each direction, a session is opened before it is used, and bytes stay what they
 * were.
 */
import { keyOf, type Asked, type Facts, type Life, type Mark, type Message } from './facts.js';

/** What the proxy may change. */
const PATCHED = new Set([
  'initialize',
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'roots/list',
  'notifications/subscriptions/acknowledged',
  'notifications/cancelled',
]);
const OUTSIDE = new Set(['initialize', 'server/discover', 'ping']);

export class Order {
  readonly #facts: Facts;
  /** The last that went to a server for the first time: of calls, and of all others. */
  #lastCall = 0;
  #lastOther = 0;
  #initializedAt: number | undefined;

  constructor(facts: Facts) {
    this.#facts = facts;
  }

  /** Another session begins. */
  reopened(): void {
    this.#initializedAt = undefined;
  }

  sent(method: string | undefined): void {
    if (method === 'notifications/initialized') this.#initializedAt ??= this.#facts.kernel.time;
  }

  /** A message of the client goes to a server for the first time. */
  written(uid: number, isCall: boolean): void {
    // Over HTTP they come by ways of their own.
    if (this.#facts.isHttp || this.#facts.isApart) return;
    const { knowsOurTools, setting } = this.#facts;
    const { concurrency } = setting;
    const agentTools = setting.agentTools || knowsOurTools;
    // The exceptions: calls wait under --concurrency, and a call that goes by the agent's tools waits for a list.
    const apart = concurrency !== undefined || agentTools;
    const both = Math.max(this.#lastCall, this.#lastOther);
    const before = !apart ? both : !isCall ? this.#lastOther : agentTools ? 0 : this.#lastCall;
    if (uid < before) this.#facts.fail('P3', `message ${uid} goes to a server after message ${before}`);
    if (isCall) this.#lastCall = Math.max(this.#lastCall, uid);
    else this.#lastOther = Math.max(this.#lastOther, uid);
  }

  /** A session comes before what is asked in it. */
  inSession(life: Life, { uid, method, sentAt }: Asked): void {
    const { setting, isApart } = this.#facts;
    if (setting.era === 'modern' || isApart || OUTSIDE.has(method)) return;
    const early = `request ${uid} reaches generation ${life.generation} before`;
    if (!life.opened) this.#facts.fail('P3', `${early} \`initialize\``);
    else if (this.#initializedAt !== undefined && this.#initializedAt < sentAt && !life.initialized)
      this.#facts.fail('P3', `${early} \`notifications/initialized\``);
  }

  /** The client reads a server's message. */
  seen(message: Message, mark: Mark, line: string, by: string): void {
    const { lives, asked, setting, streams } = this.#facts;
    const life = lives.get(mark.g);
    const written = life?.said.get(mark.n);
    if (life === undefined || written === undefined)
      return this.#facts.fail('P10', 'the client reads a message that no server wrote, or reads it twice');
    life.said.delete(mark.n);
    const method = mark.uid === undefined ? message.method : asked.get(mark.uid)?.method;
    // With the agent's tools, the first page waits for the others; and the end of a stream, in case its server ends.
    const endsStream = message.method === undefined && streams.has(keyOf(message.id));
    const mayBeLate = this.#facts.isApart || (setting.agentTools && method === 'tools/list') || endsStream;
    const before = life.seen.get(by) ?? 0;
    if (mark.n < before && !mayBeLate)
      this.#facts.fail('P3', `message ${mark.n} of generation ${mark.g} reaches the client after message ${before}`);
    if (!mayBeLate) life.seen.set(by, Math.max(before, mark.n));
    if (
      line === written ||
      (this.#facts.mayBeRenamed && withoutNames(line) === withoutNames(written)) ||
      line.startsWith('[') ||
      PATCHED.has(method ?? '')
    )
      return;
    if (setting.onFailure === 'serve' && method === 'tools/call') return;
    // Under one id for two requests, the answer to one is taken for the other's.
    if (mark.uid !== undefined && asked.get(mark.uid)?.twin === true) return;
    this.#facts.fail('P2', `${written} reaches the client as ${line}`);
  }
}

/** Where several clients share a server, the proxy gives their requests, streams and tokens names of its own. */
function withoutNames(line: string): string {
  return line
    .replace(/^(\{"jsonrpc":"2\.0",)"id":(?:"(?:[^"\\]|\\.)*"|[^,]+),/, '$1')
    .replace(/"progressToken":(?:"(?:[^"\\]|\\.)*"|[^,}]+)/, '')
    .replace(/"io\.modelcontextprotocol\/subscriptionId":(?:"(?:[^"\\]|\\.)*"|[^,}]+)/, '');
}
