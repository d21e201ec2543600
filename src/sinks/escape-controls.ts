/**
 * Makes one harmless line of a text that may hold line breaks and terminal codes, for the log and for what the cli
 * prints. Needs nothing else, so that commands that print such texts load nothing else.
 */

// A compiler's, a server's or an agent's words may hold line breaks and terminal codes: the first would make several
// lines of one, the others could rewrite what the reader sees.
export function escapeControls(text: string): string {
  return text
    .trimEnd()
    .replace(/\r?\n/g, '\\n')
    .replace(/(?!\t)[\p{Cc}\u2028\u2029]/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
