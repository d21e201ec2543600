/**
 * The form of an answer of the agent's own tools. Some clients show their model only the text, others only the
 * structured content (Codex always, Claude Code unless `isError`). So the words stand in both: in the structured
 * content as `message`. Pure.
 */
import { cutText, fitFacts, jsonLength, MAX_WORDS, roomBeside } from './limits.js';

export type Facts = Readonly<Record<string, unknown>>;

export interface Answer {
  /** What happened and what to do next. */
  readonly words: string;
  /** What the facts hold as data, for those who read only the text. */
  readonly appendix?: string;
  readonly facts?: Facts;
  readonly isError?: boolean;
}

export function toolResult({ words, appendix, facts = {}, isError = false }: Answer): Facts {
  const message = cutText(words, MAX_WORDS);
  const room = roomBeside(message);
  const text = appendix === undefined ? message : `${message}\n\n${cutText(appendix, room)}`;
  // `message` is counted with the words.
  const structuredContent = { message, ...fitFacts(facts, room - jsonLength({ message: '' })) };
  return { content: [{ type: 'text', text }], structuredContent, ...(isError ? { isError } : {}) };
}
