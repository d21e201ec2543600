/**
 * What a server command said of itself when it last ran, kept in the state directory: so that a client can be given a
 * session with it even if it does not start today, or takes long. Kept as well as can be: nothing depends on it.
 */
import { join } from 'node:path';
import type { FlowContext } from '../flow/flow.js';
import { readStateFile, writeAtomically } from '../state/state-file.js';
import type { Desk } from '../exchange/desk.js';
import { membersOf } from '../session/session.js';
import type { Message } from '../wire/message.js';

const NAME = 'introductions.json';
/** So many pairs of versions, asked for and got, are kept: there are not that many versions. */
const MAX_VERSIONS = 20;

type Method = 'initialize' | 'server/discover';

export class Memory {
  readonly #flow: FlowContext;
  readonly #desk: Desk;
  /** Reading first, then one writing after the other: the last one that is asked for is the one that stays. */
  #work: Promise<void>;

  constructor(flow: FlowContext, desk: Desk) {
    this.#flow = flow;
    this.#desk = desk;
    this.#work = recall(flow, desk);
  }

  async remember(method: Method, answer: Message): Promise<void> {
    const before = JSON.stringify(this.#desk.remembered);
    const said = membersOf(answer.read(['result']));
    this.#desk.remembered[method] = said;
    if (method === 'server/discover') delete this.#desk.remembered.refusesDiscover;
    if (method === 'initialize') rememberVersion(this.#desk, said['protocolVersion']);
    if (JSON.stringify(this.#desk.remembered) !== before) await this.#write();
  }

  /** The server is not modern, or no longer. */
  async forgetDiscover(): Promise<void> {
    // A server may have answered before the file is read.
    await this.#work;
    const { remembered } = this.#desk;
    if (remembered['server/discover'] === undefined && remembered.refusesDiscover === true) return;
    delete remembered['server/discover'];
    remembered.refusesDiscover = true;
    await this.#write();
  }

  #write(): Promise<void> {
    this.#work = this.#work.then(() => write(this.#flow, this.#desk));
    return this.#work;
  }
}

/** Fills in what is known from earlier. */
async function recall(flow: FlowContext, desk: Desk): Promise<void> {
  try {
    const all = membersOf(JSON.parse(await readStateFile(join(flow.config.stateDir, NAME))));
    for (const method of ['initialize', 'server/discover'] as const) {
      if (all[method] !== undefined) desk.remembered[method] ??= membersOf(all[method]);
    }
    if (all['refusesDiscover'] === true && desk.remembered['server/discover'] === undefined)
      desk.remembered.refusesDiscover = true;
    desk.remembered.versions = { ...textsOf(all['versions']), ...desk.remembered.versions };
  } catch {
    // There is no memory yet, or none that can be read: a guess will do.
  }
}

function rememberVersion(desk: Desk, got: unknown): void {
  const asked = membersOf(JSON.parse(desk.session.initializeParams ?? '{}'))['protocolVersion'];
  if (typeof asked !== 'string' || typeof got !== 'string') return;
  const others = Object.entries(desk.remembered.versions ?? {}).filter(([version]) => version !== asked);
  desk.remembered.versions = Object.fromEntries([...others.slice(1 - MAX_VERSIONS), [asked, got]]);
}

async function write(flow: FlowContext, desk: Desk): Promise<void> {
  const written = await writeAtomically(join(flow.config.stateDir, NAME), `${JSON.stringify(desk.remembered)}\n`);
  if (!written.ok) desk.ports.warnOnce(written.problem);
}

function textsOf(value: unknown): Record<string, string> {
  const texts = Object.entries(membersOf(value)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts);
}
