/**
 * The agent's own tools: restart the server, verify a restart, tell the state, list and call the server's tools. They
 * send events to the state machine and read the records; `agent/reports.ts` has the sentences of the answers.
 */
import { toolResult, type Answer } from '../agent/answers.js';
import { checkArguments, type Arguments } from '../agent/arguments.js';
import * as say from '../agent/reports.js';
import { runsCopy, sourcesUnknown } from '../agent/status-report.js';
import { factsOf, listAnswer } from '../agent/tool-listing.js';
import type { ToolNames } from '../agent/tool-names.js';
import { nearMisses } from '../config/nearest.js';
import { listNamed } from '../lists/lists.js';
import { readMarker } from '../state/restart-marker.js';
import { isRunning } from '../state/is-running.js';
import { answerAgent, closeCall, namesOf, namesOfTools } from '../exchange/agent-calls.js';
import type { AgentCall } from '../exchange/records.js';
import { fromClient } from '../exchange/from-client.js';
import { noteToolsShown } from '../exchange/known-tools.js';
import type { Message } from '../wire/message.js';
import { waitWithProgress } from './wait-with-progress.js';
import { copyThatRuns, statusAnswer } from './agent-status.js';
import type { Snapshots } from './snapshots.js';
import type { History, Restart } from './history.js';
import { fetchLists } from './list-diff.js';
import type { LineageContext } from './lineage-context.js';
import { failureOf, isAtRest } from './state.js';

export interface AgentToolsContext extends LineageContext {
  readonly history: History;
  snapshots(): Snapshots | undefined;
  /** Resolves when no reload is under way. `isNext`: waits for the end of the next one if none is. */
  untilSettled(isNext: boolean): Promise<void>;
}

type ArgumentsOf<T extends Arguments['tool']> = Extract<Arguments, { tool: T }>;

/** How many similar names an answer about an unknown tool lists. */
const MAX_NEAR_MISSES = 3;

export class AgentTools {
  readonly #context: AgentToolsContext;

  constructor(context: AgentToolsContext) {
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

  async #restart(call: AgentCall, { reason, rebuild }: ArgumentsOf<'restart_server'>): Promise<void> {
    const { flow, history, dispatch, state, messages, untilSettled } = this.#context;
    history.recordRequest(reason);
    const recorded = flow.events.flushed();
    const now = state();
    // A call that arrives during a forced restart waits for that one.
    const joins = 'attempt' in now && now.attempt.forced && (!rebuild || now.attempt.rebuild);
    if (!joins) dispatch({ on: 'force', rebuild });
    await recorded;
    const isInTime = await waitWithProgress(this.#context, call, untilSettled(false));
    await flow.events.flushed();
    if (!isInTime) {
      const seconds = Math.round(flow.config.hold / 1000);
      const words = say.stillRestarting(seconds, this.#names(call));
      return this.#answer(call, { words, facts: { restarted: false }, isError: true });
    }
    const standing = this.#standing();
    if (standing !== undefined) {
      const words = say.notRestarted(standing.failure, this.#names(call));
      return this.#answer(call, { words, facts: { restarted: false, ...factsOf(standing) }, isError: true });
    }
    // A restart that was requested during the very first start caused no reload.
    const generation = messages.lineage.serving?.generation ?? 0;
    const last = history.lastReload?.generation === generation ? history.lastReload : undefined;
    const { ms = 0, phases = {}, changes = [] } = last ?? {};
    this.#answer(call, {
      words: this.#withWarnings(call, say.restarted({ generation, ms, changes })),
      facts: { restarted: true, generation, ms, phases, changes },
    });
  }

  async #verify(call: AgentCall, { since }: ArgumentsOf<'verify_server_restarted'>): Promise<void> {
    await this.#context.flow.events.flushed();
    const evidence = await this.#restartEvidence(since);
    const outdated = this.#outdated();
    const { kind, crash: _, proxy: __, ...facts } = { crash: false, proxy: 0, ...evidence };
    this.#answer(call, {
      words: this.#withWarnings(call, say.verified(evidence, this.#names(call), outdated)),
      facts: { ...(kind === 'torn' ? {} : { restarted: kind === 'yes' }), ...facts, ...factsOf(outdated.standing) },
      isError: kind === 'torn',
    });
  }

  async #restartEvidence(since: number): Promise<say.Verdict> {
    const { history, flow } = this.#context;
    // Our own history comes first: another proxy may have overwritten the marker file, or it may not be writable.
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

  async #status(call: AgentCall, { wait, log }: ArgumentsOf<'server_status'>): Promise<void> {
    if (wait) await waitWithProgress(this.#context, call, this.#untilStarted());
    const { flow, snapshots } = this.#context;
    await snapshots()?.disk.prepare(flow.config.rules.map((rule) => rule.name));
    const asked = { session: call.session, waited: wait, log, outdated: this.#outdated() };
    this.#answer(call, statusAnswer(this.#context, asked, this.#names(call)));
  }

  async #list(call: AgentCall, { name: wanted }: ArgumentsOf<'list_server_tools'>): Promise<void> {
    const items = await this.#tools(call);
    const outdated = this.#outdated();
    if (typeof items === 'string') {
      const words = say.noLists(items, this.#names(call), outdated.standing);
      return this.#answer(call, { words, facts: factsOf(outdated.standing), isError: true });
    }
    const generation = this.#context.messages.lineage.serving?.generation;
    const { shown, ...answer } = listAnswer({ items, wanted, generation, outdated }, this.#names(call));
    if (outdated.standing === undefined && outdated.meanwhile === undefined)
      noteToolsShown(call.session, call.arrival.message, shown);
    this.#answer(call, answer);
  }

  /** The server's own tools, or the reason why they are not known. */
  async #tools({ session, signal }: AgentCall): Promise<readonly unknown[] | string> {
    const { lineage } = session;
    if (lineage.serving === undefined) return 'no server is running';
    if (session.promisedButMissing.has('tools')) return [];
    const lists = await fetchLists(lineage, lineage.serving, { tools: {} }, signal, [listNamed('tools')]);
    const found = lists.get('tools');
    return found?.known === true ? found.items : (found?.why ?? 'they are unknown');
  }

  /** Forwards the call under the client's own id. From there on it is treated like any other call. */
  async #call(call: AgentCall, { name }: ArgumentsOf<'call_server_tool'>): Promise<void> {
    const { session } = call;
    const tools = await this.#tools(call);
    // While a failure stands, the list may be that of older code. The call is forwarded, and answered with the failure.
    const names = typeof tools === 'string' || session.lineage.failure !== undefined ? undefined : namesOf(tools);
    if (names !== undefined && !names.has(name)) {
      const near = nearMisses(name, [...names]).slice(0, MAX_NEAR_MISSES);
      return this.#answer(call, { words: say.noSuchTool(name, near, this.#names(call)), isError: true });
    }
    if (!closeCall(call)) return;
    // A reload may have begun meanwhile: then the call is held like any other.
    fromClient(session, callOf(call.arrival.message, name), call.arrival.since);
  }

  /** During the pause before a restart nothing has been decided yet: waits for the end of that restart too. */
  async #untilStarted(): Promise<void> {
    const { untilSettled, state } = this.#context;
    await untilSettled(false);
    if (state().at === 'waiting') await untilSettled(true);
  }

  /** Appends warnings about edits that can have no effect. Whoever asks about a restart has edited something. */
  #withWarnings(call: AgentCall, words: string): string {
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
    const { state, flow, messages } = this.#context;
    // While an attempt is repeated in the background the state has no failure, and calls are still answered with the
    // last one.
    const failure =
      failureOf(state()) ?? (this.#servesMeanwhile() === undefined ? undefined : messages.lineage.failure);
    if (failure === undefined) return undefined;
    return {
      failure,
      generation: messages.lineage.serving?.generation,
      servesTools: flow.config.onFailure === 'serve',
    };
  }

  #outdated(): say.Outdated {
    const standing = this.#standing();
    const generation = this.#servesMeanwhile();
    return { standing, meanwhile: generation === undefined || standing !== undefined ? undefined : { generation } };
  }

  /**
   * The generation that serves during the reload under way. Undefined if there is no such reload, or calls are held.
   */
  #servesMeanwhile(): number | undefined {
    const { state, messages } = this.#context;
    return isAtRest(state()) || messages.lineage.isHolding ? undefined : messages.lineage.serving?.generation;
  }

  #answer(call: AgentCall, answer: Answer): void {
    answerAgent(call, toolResult(answer));
  }
}

function restartSince({ at, reason, generation, method }: Omit<Restart, 'exitCode'>, since: number): say.Verdict {
  if (Date.parse(at) < since) return { kind: 'no', at };
  return { kind: 'yes', at, reason, generation, crash: method === 'crash' };
}

/** The call that the agent asked for, in its own bytes: only `name` and `arguments` are replaced. */
function callOf(message: Message, name: string): Message {
  const given = message.raw(['params', 'arguments', 'arguments']) ?? '{}';
  const named = message.with(['params', 'name'], JSON.stringify(name)) ?? message;
  return named.with(['params', 'arguments'], given) ?? named;
}
