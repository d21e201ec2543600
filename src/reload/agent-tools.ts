/**
 * What the agent's own tools do: restart, verify, tell the state, list and call the server's tools. They ask the state machine
 * and the desk like anybody else, and answer in the words of agent/reports.ts.
 */
import { checkArguments, type Arguments } from '../agent/arguments.js';
import * as say from '../agent/reports.js';
import type { Failure, ToolNames } from '../agent/words.js';
import { nearMisses } from '../config/nearest.js';
import type { FlowContext } from '../flow/flow.js';
import { listNamed } from '../lists/lists.js';
import { readMarker } from '../log/marker.js';
import { isRunning } from '../log/running.js';
import { answerAgent, closeCall, namesOf, namesShown } from '../pipeline/agent-calls.js';
import type { AgentCall } from '../pipeline/desk.js';
import { fromClient } from '../pipeline/from-client.js';
import { locate, setAt } from '../wire/edit.js';
import { inPatience } from './agent-patience.js';
import type { Freshness } from './freshness.js';
import type { History } from './history.js';
import { fetchLists } from './list-watch.js';
import type { Roster } from './roster.js';
import type { Event, State } from './states.js';
import type { Traffic } from './traffic.js';

export interface AgentContext {
  readonly flow: FlowContext;
  readonly traffic: Traffic;
  readonly roster: Roster;
  readonly history: History;
  state(): State;
  freshness(): Freshness | undefined;
  dispatch(event: Event): void;
  /** Resolves when nothing is under way; with `again`, when something was and is no longer. */
  settled(again: boolean): Promise<void>;
}

type Facts = Readonly<Record<string, unknown>>;
type Of<T extends Arguments['tool']> = Extract<Arguments, { tool: T }>;

/** So many tools are named that may have been meant. */
const NEAR = 3;

export class AgentTools {
  readonly #context: AgentContext;

  constructor(context: AgentContext) {
    this.#context = context;
  }

  handle(call: AgentCall): void {
    const checked = checkArguments(call.tool, call.arguments);
    if (!checked.ok) return this.#answer(call, checked.problem, undefined, true);
    void this.#run(call, checked.value);
  }

  async #run(call: AgentCall, given: Arguments): Promise<void> {
    switch (given.tool) {
      case 'restart_server':
        return this.#restart(call, given);
      case 'verify_server_restarted':
        return this.#verify(call, given);
      case 'server_status':
        return this.#status(call, given);
      case 'list_server_tools':
        return this.#list(call);
      case 'call_server_tool':
        return this.#call(call, given);
    }
  }

  async #restart(call: AgentCall, { reason, rebuild }: Of<'restart_server'>): Promise<void> {
    const { history, dispatch, state, traffic, settled: atRest } = this.#context;
    const recorded = history.requested(reason);
    const now = state();
    // A call that meets a restart joins it.
    const joins = 'attempt' in now && now.attempt.forced && (!rebuild || now.attempt.rebuild);
    if (!joins) dispatch({ on: 'force', rebuild });
    await recorded;
    const settled = await inPatience(this.#context, call, atRest(false));
    await history.written();
    if (!settled) {
      const seconds = Math.round(this.#context.flow.config.hold / 1000);
      return this.#answer(call, say.stillRestarting(seconds, this.#names), { restarted: false }, true);
    }
    const failure = failureOf(state());
    if (failure !== undefined)
      return this.#answer(
        call,
        say.notRestarted(failure, this.#names),
        { restarted: false, failure: failure.how },
        true,
      );
    // A restart that met the very first start was no reload.
    const generation = traffic.desk.serving ?? 0;
    const last = history.lastReload?.facts;
    const reload: Facts = last?.['generation'] === generation ? last : {};
    const { ms = 0, phases = {}, changes = [] } = reload as Partial<say.Reload> & Facts;
    this.#answer(call, say.restarted({ generation, ms, changes }), {
      restarted: true,
      generation,
      ms,
      phases,
      changes,
    });
  }

  async #verify(call: AgentCall, { since }: Of<'verify_server_restarted'>): Promise<void> {
    const { history, flow } = this.#context;
    await history.written();
    // Another proxy may have written over the record of ours, or nobody can write it.
    const own = history.lastRestart;
    const found = own === undefined ? await readMarker(flow.config.stateDir) : { kind: 'found' as const, marker: own };
    if (found.kind === 'none')
      return this.#answer(call, say.verified({ kind: 'never' }, this.#names), { restarted: false });
    if (found.kind === 'torn') return this.#answer(call, say.verified({ kind: 'torn' }, this.#names), undefined, true);
    const { timestamp: at, reason, generation, method, proxy } = found.marker;
    if (proxy !== process.pid && isRunning(proxy)) {
      return this.#answer(call, say.verified({ kind: 'foreign', proxy }, this.#names), { restarted: false });
    }
    if (Date.parse(at) < since)
      return this.#answer(call, say.verified({ kind: 'no', at }, this.#names), { restarted: false, at });
    const crash = method === 'crash';
    this.#answer(call, say.verified({ kind: 'yes', at, reason, generation, crash }, this.#names), {
      restarted: true,
      at,
      reason,
      generation,
    });
  }

  async #status(call: AgentCall, { wait, log }: Of<'server_status'>): Promise<void> {
    if (wait) await inPatience(this.#context, call, this.#started());
    const { flow, roster, history, state, freshness, traffic } = this.#context;
    await freshness()?.watch.prepare(flow.config.rules.map((rule) => rule.name));
    const now = state();
    const generation = traffic.desk.serving;
    const failure = failureOf(now);
    const rules = flow.config.rules.map((rule) => freshness()?.watch.fingerprint(rule.name) ?? '');
    // Where none serves, it is the one that has ended that is asked about.
    const speaker = generation === undefined ? roster.last : roster.get(generation);
    const said = speaker?.stderr.bytes().toString('utf8').trimEnd() ?? '';
    const lines = log === 0 ? undefined : said === '' ? [] : said.split('\n').slice(-log);
    const text = say.status({ state: stateOf(now), generation, failure, waited: wait });
    this.#answer(call, lines === undefined ? text : `${text}\n\n${say.lastLines(lines)}`, {
      state: stateOf(now),
      ...(generation === undefined
        ? {}
        : { generation, uptimeMs: Math.round(performance.now() - roster.since(generation)) }),
      fingerprint: rules.join(' '),
      ...(history.lastReload === undefined
        ? {}
        : { lastReload: { at: history.lastReload.at, ...history.lastReload.facts } }),
      ...(history.lastFailure === undefined
        ? {}
        : { lastFailure: { at: history.lastFailure.at, text: history.lastFailure.text } }),
      ...(lines === undefined ? {} : { log: lines }),
    });
  }

  async #list(call: AgentCall): Promise<void> {
    const tools = await this.#tools(call.signal);
    if (typeof tools === 'string') return this.#answer(call, say.noLists(tools, this.#names), undefined, true);
    this.#answer(call, say.listed([...namesOf(tools)], this.#names), { tools });
  }

  /** The server's own tools, or why they can't be had. */
  async #tools(signal: AbortSignal): Promise<readonly unknown[] | string> {
    const { desk } = this.#context.traffic;
    if (desk.serving === undefined) return 'no server is running';
    if (desk.lacking.has('tools')) return [];
    const lists = await fetchLists(desk, desk.serving, { tools: {} }, signal, [listNamed('tools')]);
    const found = lists.get('tools');
    return found?.known === true ? found.items : (found?.why ?? 'they are unknown');
  }

  /** Forwarded under the client's own id: what follows is what follows on any call. */
  async #call(call: AgentCall, { name }: Of<'call_server_tool'>): Promise<void> {
    const { desk } = this.#context.traffic;
    const tools = await this.#tools(call.signal);
    // While a failure stands, the list is that of older code: what the call is answered with is the failure.
    const names = typeof tools === 'string' || desk.failure !== undefined ? undefined : namesOf(tools);
    if (names !== undefined && !names.has(name)) {
      const near = nearMisses(name, [...names]).slice(0, NEAR);
      return this.#answer(call, say.noSuchTool(name, near, this.#names), undefined, true);
    }
    if (!closeCall(desk, call)) return;
    // A reload may have begun meanwhile: then it waits for it like any other.
    fromClient(desk, callOf(call.held.line, name), call.held.envelope, call.held.since);
  }

  /** A server that is started again after a pause has not settled: the next start says how it ends. */
  async #started(): Promise<void> {
    const { settled, state } = this.#context;
    await settled(false);
    if (state().at === 'waiting') await settled(true);
  }

  get #names(): ToolNames {
    return namesShown(this.#context.traffic.desk);
  }

  #answer(call: AgentCall, text: string, facts?: Facts, isError = false): void {
    answerAgent(this.#context.traffic.desk, call, {
      content: [{ type: 'text', text }],
      ...(facts === undefined ? {} : { structuredContent: facts }),
      ...(isError ? { isError } : {}),
    });
  }
}

function failureOf(state: State): Failure | undefined {
  return 'failure' in state ? state.failure : undefined;
}

function stateOf(state: State): say.Status['state'] {
  switch (state.at) {
    case 'serving':
      return state.failure === undefined ? 'serving' : 'failed';
    case 'broken':
    case 'waiting':
    case 'closing':
      return state.at;
    case 'leaving':
      return 'closing';
    default:
      return 'reloading';
  }
}

/** The call that is meant, in the caller's own bytes: only the name and what its arguments are change. */
function callOf(line: Buffer, name: string): Buffer {
  const span = locate(line, ['params', 'arguments', 'arguments']);
  const given = span === undefined ? '{}' : line.toString('utf8', span.start, span.end);
  const named = setAt(line, ['params', 'name'], JSON.stringify(name)) ?? line;
  return setAt(named, ['params', 'arguments'], given) ?? named;
}
