/**
 * What `list_server_tools` gives of a server's tools: whole definitions if they fit into an answer, else names with the
 * beginning of each description, else as many names as fit. A name, or a part of one, narrows the list. Pure.
 */
import type { Answer } from './answers.js';
import { failureFacts } from './failure.js';
import { briefJson } from './brief-json.js';
import { cutText, firstThatFit, jsonLength, MAX_ANSWER, roomBeside } from './limits.js';
import * as say from './reports.js';
import type { ToolNames } from './tool-names.js';

const MAX_DESCRIPTION = 100;
/** Longest name that is given: a longer one is no name to call by. */
const MAX_NAME = 1000;
/** Room for the members beside the list. */
const BESIDE = 200;

interface Tool {
  readonly name: string;
  readonly whole: unknown;
}

export interface Listing {
  readonly items: readonly unknown[];
  /** The part of a name that was asked for. */
  readonly wanted: string | undefined;
  /** The generation whose tools these are. */
  readonly generation: number | undefined;
  readonly outdated: say.Outdated;
}

export interface ListAnswer extends Answer {
  /** The tools that it gives whole. */
  readonly shown: readonly unknown[];
}

export function listAnswer({ items, wanted, generation, outdated }: Listing, tools: ToolNames): ListAnswer {
  const all = items.flatMap(toolOf);
  const found = matching(all, wanted);
  const about = { total: all.length, found: found.length, wanted, outdated };
  const facts = {
    ...(generation === undefined ? {} : { generation }),
    total: all.length,
    ...factsOf(outdated.standing),
  };
  const wholes = found.map(({ whole }) => whole);
  const levels = [
    { kind: 'whole', list: wholes },
    { kind: 'described', list: found.map(described) },
  ] as const;
  for (const { kind, list } of levels) {
    // One that is too long or too deep is never made JSON of as a whole.
    if (!list.every((tool) => briefJson(tool, MAX_ANSWER).isWhole)) continue;
    const words = say.listed({ ...about, kind, given: found.length }, tools);
    const appendix = list.map((tool) => JSON.stringify(tool)).join('\n');
    const room = roomBeside(words) - BESIDE - jsonLength(facts);
    if (jsonLength(appendix) <= room && jsonLength(list) <= room)
      return {
        words,
        ...(list.length === 0 ? {} : { appendix }),
        facts: { ...facts, tools: list, ...(kind === 'whole' ? {} : { truncated: true }) },
        shown: kind === 'whole' ? wholes : [],
      };
  }
  const longest = say.listed({ ...about, kind: 'names', given: found.length }, tools);
  const names = firstThatFit(
    found.map(({ name }) => cutText(name, MAX_NAME)),
    roomBeside(longest) - BESIDE - jsonLength(facts),
  );
  const words = say.listed({ ...about, kind: 'names', given: names.length }, tools);
  const appendix = JSON.stringify(names).slice(1, -1);
  return { words, appendix, facts: { ...facts, names, truncated: true }, shown: [] };
}

export function factsOf(standing: say.Standing | undefined): Readonly<Record<string, unknown>> {
  if (standing === undefined) return {};
  const { kind, command, how } = failureFacts(standing.failure);
  return { failure: { kind, command, how } };
}

/** The tool of that name alone, if there is one; else those whose names contain it. */
function matching(all: readonly Tool[], wanted: string | undefined): readonly Tool[] {
  if (wanted === undefined) return all;
  const exact = all.filter(({ name }) => name === wanted);
  if (exact.length > 0) return exact;
  const part = wanted.toLowerCase();
  return all.filter(({ name }) => name.toLowerCase().includes(part));
}

function toolOf(item: unknown): Tool[] {
  if (typeof item !== 'object' || item === null || !('name' in item) || typeof item.name !== 'string') return [];
  return [{ name: item.name, whole: item }];
}

function described({ name, whole }: Tool): object {
  const description = (whole as { description?: unknown }).description;
  return typeof description === 'string' ? { name, description: beginning(description) } : { name };
}

function beginning(text: string): string {
  if (text.length <= MAX_DESCRIPTION) return text;
  return `${text.slice(0, MAX_DESCRIPTION).replace(/[\ud800-\udbff]$/, '')}…`;
}
