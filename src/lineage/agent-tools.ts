/**
 * What the agent's own tools do: restart, verify, tell the state, list and call the server's tools. They ask the state
 * machine and the records like anybody else, and answer in the words of agent/reports.ts.
 */
import { toolResult, type Answer } from '../agent/answers.js';
import { checkArguments, type Arguments } from '../agent/arguments.js';
import * as say from '../agent/reports.js';
import { runsCopy, sourcesUnknown } from '../agent/status-report.js';
import { factsOf, listAnswer } from '../agent/tool-listing.js';
import type { ToolNames } from '../agent/tool-names.js';
import { nearMisses } from '../config/nearest.js';
import type { FlowContext } from '../flow/flow.js';
import { listNamed } from '../lists/lists.js';
import { readMarker } from '../state/restart-marker.js';
import { isRunning } from '../state/is-running.js';
import { answerAgent, closeCall, namesOf, namesOfTools } from '../exchange/agent-calls.js';
import type { AgentCall } from '../exchange/records.js';
import { fromClient } from '../exchange/from-client.js';
import type { Message } from '../wire/message.js';
import { waitWithProgress } from './wait-with-progress.js';
import { copyThatRuns, statusAnswer } from './agent-status.js';
import type { Snapshots } from './snapshots.js';
import type { History, Restart } from './history.js';
import { fetchLists } from './list-diff.js';
import type { LiveGenerations } from './live-generations.js';
import { failureOf, isAtRest } from './state.js';
import type { Event, State } from './states.js';
import type { MessageFlow } from './message-flow.js';

export interface AgentContext {
  readonly flow: FlowContext;
  readonly traffic: MessageFlow;
  readonly roster: LiveGenerations;
  readonly history: History;
  state(): State;
  snapshots(): Snapshots | undefined;
  dispatch(event: Event): void;
  /** Resolves when nothing is under way; with `again`, when something was and is no longer. */
  settled(again: boolean): Promise<void>;
}

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
    if (!checked.ok) return this.#answer(call, { words: checked.problem, isError: true });
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
        return this.#list(call, given);
      case 'call_server_tool':
        return this.#call(call, given);
    }
  }

  async #restart(call: AgentCall, { reason, rebuild }: Of<'restart_server'>): Promise<void> {
    const { flow, history, dispatch, state, traffic, settled: atRest } = this.#context;
    history.recordRequest(reason);
    const recorded = flow.events.flushed();
    const now = state();
    // A call that meets a restart joins it.
    const joins = 'attempt' in now && now.attempt.forced && (!rebuild || now.attempt.rebuild);
    if (!joins) dispatch({ on: 'force', rebuild });
    await recorded;
    const settled = await waitWithProgress(this.#context, call, atRest(false));
    await flow.events.flushed();
    if (!settled) {
      const seconds = Math.round(flow.config.hold / 1000);
      const words = say.stillRestarting(seconds, this.#names(call));
      return this.#answer(call, { words, facts: { restarted: false }, isError: true });
    }
    const standing = this.#standing();
    if (standing !== undefined) {
      const words = say.notRestarted(standing.failure, this.#names(call));
      return this.#answer(call, { words, facts: { restarted: false, ...factsOf(standing) }, isError: true });
    }
    // A restart that met the very first start was no reload.
    const generation = traffic.lineage.serving?.generation ?? 0;
    const last = history.lastReload?.generation === generation ? history.lastReload : undefined;
    const { ms = 0, phases = {}, changes = [] } = last ?? {};
    this.#answer(call, {
      words: this.#withDoubts(call, say.restarted({ generation, ms, changes })),
      facts: { restarted: true, generation, ms, phases, changes },
    });
  }

  async #verify(call: AgentCall, { since }: Of<'verify_server_restarted'>): Promise<void> {
    await this.#context.flow.events.flushed();
    const verdict = await this.#verdict(since);
    const outdated = this.#outdated();
    const { kind, crash: _, proxy: __, ...facts } = { crash: false, proxy: 0, ...verdict };
    this.#answer(call, {
      words: this.#withDoubts(call, say.verified(verdict, this.#names(call), outdated)),
      facts: { ...(kind === 'torn' ? {} : { restarted: kind === 'yes' }), ...facts, ...factsOf(outdated.standing) },
      isError: kind === 'torn',
    });
  }

  async #verdict(since: number): Promise<say.Verdict> {
    const { history, flow } = this.#context;
    // Another proxy may have written over the record of ours, or nobody can write it.
    const { lastRestart: own, begunRestart: begun } = history;
    if (begun !== undefined && !(own !== undefined && Date.parse(own.at) >= since))
      return { kind: 'begun', at: begun.at, reason: begun.reason };
    if (own !== undefined) return restartSince(own, since);
    const found = await readMarker(flow.config.stateDir);
    if (found.kind === 'none') return { kind: 'never' };
    if (found.kind === 'torn') return { kind: 'torn' };
    const { timestamp: at, reason, generation, method, proxy, begun: isBegun } = found.marker;
    if (proxy !== process.pid && isRunning(proxy)) return { kind: 'foreign', proxy };
    if (isBegun === true) return { kind: 'given up', at, reason };
    return restartSince({ at, reason, generation, method }, since);
  }

  async #status(call: AgentCall, { wait, log }: Of<'server_status'>): Promise<void> {
    if (wait) await waitWithProgress(this.#context, call, this.#started());
    const { flow, snapshots } = this.#context;
    await snapshots()?.disk.prepare(flow.config.rules.map((rule) => rule.name));
    const asked = { session: call.session, waited: wait, log, outdated: this.#outdated() };
    this.#answer(call, statusAnswer(this.#context, asked, this.#names(call)));
  }

  async #list(call: AgentCall, { name: wanted }: Of<'list_server_tools'>): Promise<void> {
    const items = await this.#tools(call);
    const outdated = this.#outdated();
    if (typeof items === 'string') {
      const words = say.noLists(items, this.#names(call), outdated.standing);
      return this.#answer(call, { words, facts: factsOf(outdated.standing), isError: true });
    }
    const generation = this.#context.traffic.lineage.serving?.generation;
    this.#answer(call, listAnswer({ items, wanted, generation, outdated }, this.#names(call)));
  }

  /** The server's own tools, or why they can't be had. */
  async #tools({ session, signal }: AgentCall): Promise<readonly unknown[] | string> {
    const { lineage } = session;
    if (lineage.serving === undefined) return 'no server is running';
    if (session.promisedButMissing.has('tools')) return [];
    const lists = await fetchLists(lineage, lineage.serving, { tools: {} }, signal, [listNamed('tools')]);
    const found = lists.get('tools');
    return found?.known === true ? found.items : (found?.why ?? 'they are unknown');
  }

  /** Forwarded under the client's own id: what follows is what follows on any call. */
  async #call(call: AgentCall, { name }: Of<'call_server_tool'>): Promise<void> {
    const { session } = call;
    const tools = await this.#tools(call);
    // While a failure stands, the list is that of older code: what the call is answered with is the failure.
    const names = typeof tools === 'string' || session.lineage.failure !== undefined ? undefined : namesOf(tools);
    if (names !== undefined && !names.has(name)) {
      const near = nearMisses(name, [...names]).slice(0, NEAR);
      return this.#answer(call, { words: say.noSuchTool(name, near, this.#names(call)), isError: true });
    }
    if (!closeCall(call)) return;
    // A reload may have begun meanwhile: then it waits for it like any other.
    fromClient(session, callOf(call.held.message, name), call.held.since);
  }

  /** A server that is started again after a pause has not settled: the next start says how it ends. */
  async #started(): Promise<void> {
    const { settled, state } = this.#context;
    await settled(false);
    if (state().at === 'waiting') await settled(true);
  }

  /** Whoever asks about a restart has edited something. */
  #withDoubts(call: AgentCall, words: string): string {
    const { flow } = this.#context;
    const copy = copyThatRuns(flow);
    if (copy !== undefined) return `${words} ${runsCopy(copy, this.#names(call))}`;
    const { buildProposal } = flow.config;
    return buildProposal === undefined ? words : `${words} ${sourcesUnknown(buildProposal)}`;
  }

  #names({ session, callersTools }: AgentCall): ToolNames {
    return namesOfTools(session, callersTools);
  }

  #standing(): say.Standing | undefined {
    const { state, flow, traffic } = this.#context;
    // While what failed is tried again and nobody waits for that, the failure stands, though the state has none.
    const failure = failureOf(state()) ?? (this.#servesMeanwhile() === undefined ? undefined : traffic.lineage.failure);
    if (failure === undefined) return undefined;
    return { failure, generation: traffic.lineage.serving?.generation, servesTools: flow.config.onFailure === 'serve' };
  }

  #outdated(): say.Outdated {
    const standing = this.#standing();
    const generation = this.#servesMeanwhile();
    return { standing, meanwhile: generation === undefined || standing !== undefined ? undefined : { generation } };
  }

  /** The generation that goes on serving while a reload is under way; undefined: there is none, or calls are held. */
  #servesMeanwhile(): number | undefined {
    const { state, traffic } = this.#context;
    return isAtRest(state()) || traffic.lineage.isHolding ? undefined : traffic.lineage.serving?.generation;
  }

  #answer(call: AgentCall, answer: Answer): void {
    answerAgent(call, toolResult(answer));
  }
}

function restartSince({ at, reason, generation, method }: Omit<Restart, 'exitCode'>, since: number): say.Verdict {
  if (Date.parse(at) < since) return { kind: 'no', at };
  return { kind: 'yes', at, reason, generation, crash: method === 'crash' };
}

/** The call that is meant, in the caller's own bytes: only the name and what its arguments are change. */
function callOf(message: Message, name: string): Message {
  const given = message.raw(['params', 'arguments', 'arguments']) ?? '{}';
  const named = message.with(['params', 'name'], JSON.stringify(name)) ?? message;
  return named.with(['params', 'arguments'], given) ?? named;
}
