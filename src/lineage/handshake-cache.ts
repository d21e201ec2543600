/**
 * What a server command said of itself when it last ran, kept in the state directory: so that a client can be given a
 * session with it even if it does not start today, or takes long. Kept as well as can be: nothing depends on it.
 */
import { join } from 'node:path';
import type { FlowContext } from '../flow/flow.js';
import { readStateFileSync, writeAtomically } from '../state/state-file.js';
import type { LineageRecord } from '../exchange/records.js';
import { membersOf } from '../session/agreement.js';
import type { Message } from '../wire/message.js';

const NAME = 'introductions.json';
/** So many pairs of versions, asked for and got, are kept: there are not that many versions. */
const MAX_VERSIONS = 20;

type Method = 'initialize' | 'server/discover';

export class HandshakeCache {
  readonly #flow: FlowContext;
  readonly #lineage: LineageRecord;
  /** One writing after the other: the last one that is asked for is the one that stays. */
  #work: Promise<void> = Promise.resolve();

  constructor(flow: FlowContext, lineage: LineageRecord) {
    this.#flow = flow;
    this.#lineage = lineage;
    load(flow, lineage);
  }

  async save(method: Method, answer: Message): Promise<void> {
    const { cachedHandshake } = this.#lineage;
    const before = JSON.stringify(cachedHandshake);
    const said = membersOf(answer.read(['result']));
    cachedHandshake[method] = said;
    if (method === 'server/discover') delete cachedHandshake.refusesDiscover;
    if (method === 'initialize') recordVersion(this.#lineage, said['protocolVersion']);
    if (JSON.stringify(cachedHandshake) !== before) await this.#write();
  }

  /** The server is not modern, or no longer. */
  async forgetDiscover(): Promise<void> {
    const { cachedHandshake } = this.#lineage;
    if (cachedHandshake['server/discover'] === undefined && cachedHandshake.refusesDiscover === true) return;
    delete cachedHandshake['server/discover'];
    cachedHandshake.refusesDiscover = true;
    await this.#write();
  }

  #write(): Promise<void> {
    this.#work = this.#work.then(() => write(this.#flow, this.#lineage));
    return this.#work;
  }
}

/**
 * Fills in what is known from earlier. At once: a server may fail so soon that the client's opening would be answered
 * before the file is read, and a client is told only once what a server can do.
 */
function load(flow: FlowContext, { cachedHandshake }: LineageRecord): void {
  try {
    const all = membersOf(JSON.parse(readStateFileSync(join(flow.config.stateDir, NAME))));
    for (const method of ['initialize', 'server/discover'] as const) {
      if (all[method] !== undefined) cachedHandshake[method] ??= membersOf(all[method]);
    }
    if (all['refusesDiscover'] === true && cachedHandshake['server/discover'] === undefined)
      cachedHandshake.refusesDiscover = true;
    cachedHandshake.versions = { ...textsOf(all['versions']), ...cachedHandshake.versions };
  } catch {
    // There is no memory yet, or none that can be read: a guess will do.
  }
}

function recordVersion({ cachedHandshake, agreement }: LineageRecord, got: unknown): void {
  const asked = membersOf(JSON.parse(agreement.initializeParams ?? '{}'))['protocolVersion'];
  if (typeof asked !== 'string' || typeof got !== 'string') return;
  const others = Object.entries(cachedHandshake.versions ?? {}).filter(([version]) => version !== asked);
  cachedHandshake.versions = Object.fromEntries([...others.slice(1 - MAX_VERSIONS), [asked, got]]);
}

async function write(flow: FlowContext, { cachedHandshake, ports }: LineageRecord): Promise<void> {
  const written = await writeAtomically(join(flow.config.stateDir, NAME), `${JSON.stringify(cachedHandshake)}\n`);
  if (!written.ok) ports.warnOnce(written.problem);
}

function textsOf(value: unknown): Record<string, string> {
  const texts = Object.entries(membersOf(value)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts);
}
