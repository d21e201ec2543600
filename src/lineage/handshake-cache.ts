/**
 * Caches the handshake results of a server command in the state directory. With them a client can be answered while the
 * server does not start, or takes long. Best effort: without the file, `exchange/opening-answers.ts` guesses.
 */
import { join } from 'node:path';
import type { FlowContext } from '../flow/flow.js';
import { readStateFileSync, writeAtomically } from '../state/state-file.js';
import type { OpeningMethod } from '../exchange/methods.js';
import type { LineageRecord } from '../exchange/records.js';
import { membersOf } from '../session/agreement.js';
import type { Message } from '../wire/message.js';
import { toJson } from '../wire/to-json.js';

const FILE_NAME = 'introductions.json';
/** How many pairs of requested and agreed protocol version are kept. There are fewer versions than that. */
const MAX_VERSION_PAIRS = 20;

export class HandshakeCache {
  readonly #context: FlowContext;
  readonly #lineage: LineageRecord;
  /** One write after the other, so that the last result stays in the file. */
  #work: Promise<void> = Promise.resolve();

  constructor(context: FlowContext, lineage: LineageRecord) {
    this.#context = context;
    this.#lineage = lineage;
    load(context, lineage);
  }

  async save(method: OpeningMethod, answer: Message): Promise<void> {
    const { cachedHandshake } = this.#lineage;
    const before = toJson(cachedHandshake);
    const result = membersOf(answer.read(['result']));
    cachedHandshake[method] = result;
    if (method === 'server/discover') delete cachedHandshake.refusesDiscover;
    if (method === 'initialize') recordVersion(this.#lineage, result['protocolVersion']);
    if (toJson(cachedHandshake) !== before) await this.#write();
  }

  /** The server has refused `server/discover`: it is not modern, or no longer. */
  async forgetDiscover(): Promise<void> {
    const { cachedHandshake } = this.#lineage;
    if (cachedHandshake['server/discover'] === undefined && cachedHandshake.refusesDiscover === true) return;
    delete cachedHandshake['server/discover'];
    cachedHandshake.refusesDiscover = true;
    await this.#write();
  }

  #write(): Promise<void> {
    this.#work = this.#work.then(() => write(this.#context, this.#lineage));
    return this.#work;
  }
}

/**
 * Fills in the results that an earlier run has saved. Synchronous: a server may fail before an asynchronous read is
 * done, and a client is told only once what a server can do.
 */
function load(flow: FlowContext, { cachedHandshake }: LineageRecord): void {
  try {
    const all = membersOf(JSON.parse(readStateFileSync(join(flow.config.stateDir, FILE_NAME))));
    for (const method of ['initialize', 'server/discover'] as const) {
      if (all[method] !== undefined) cachedHandshake[method] ??= membersOf(all[method]);
    }
    if (all['refusesDiscover'] === true && cachedHandshake['server/discover'] === undefined)
      cachedHandshake.refusesDiscover = true;
    cachedHandshake.versions = { ...textsOf(all['versions']), ...cachedHandshake.versions };
  } catch {
    // The file does not exist yet, or is unreadable: the cache stays empty.
  }
}

function recordVersion({ cachedHandshake, agreement }: LineageRecord, agreed: unknown): void {
  const requested = membersOf(JSON.parse(agreement.initializeParams ?? '{}'))['protocolVersion'];
  if (typeof requested !== 'string' || typeof agreed !== 'string') return;
  const others = Object.entries(cachedHandshake.versions ?? {}).filter(([version]) => version !== requested);
  cachedHandshake.versions = Object.fromEntries([...others.slice(1 - MAX_VERSION_PAIRS), [requested, agreed]]);
}

async function write(flow: FlowContext, { cachedHandshake, ports }: LineageRecord): Promise<void> {
  const written = await writeAtomically(join(flow.config.stateDir, FILE_NAME), `${toJson(cachedHandshake)}\n`);
  if (!written.ok) ports.warnOnce(written.problem);
}

function textsOf(value: unknown): Record<string, string> {
  const texts = Object.entries(membersOf(value)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts);
}
