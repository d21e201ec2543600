// A command as it is shown to people: one line, quoted where needed, without what may be secret. Values of variables
// never appear.

const SECRET = /^(--?[\w-]*(?:key|token|secret|password|passwd|auth|credential)[\w-]*)(=[^]*)?$/i;

export function shownCommand(words: readonly string[]): string {
  return hidden(words).map(quoted).join(' ');
}

/** Values of `NAME=value` words, and those of options that sound like a secret, are replaced by an ellipsis. */
export function hidden(words: readonly string[]): string[] {
  return words.map((word, index) => {
    const assignment = /^([A-Za-z_]\w*)=[^]/.exec(word);
    if (assignment !== null) return `${assignment[1]}=…`;
    const option = SECRET.exec(word);
    if (option?.[2] !== undefined) return `${option[1]}=…`;
    const before = SECRET.exec(words[index - 1] ?? '');
    return before !== null && before[2] === undefined && !word.startsWith('-') ? '…' : word;
  });
}

function quoted(word: string): string {
  return /^[^\s"'\\]+$/.test(word) ? word : JSON.stringify(word);
}
