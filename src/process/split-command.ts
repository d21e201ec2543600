// Splits one text into a program and its arguments the way a shell would: blanks separate, quotes group, a backslash
// escapes. Nothing is expanded and no operator is understood, because no shell ever runs the result; whoever needs
// `&&` or `$VAR` has to name a shell as the program.

export type Split = { ok: true; words: string[] } | { ok: false; error: string };

const blank = /\s/;
const escapableInDoubleQuotes = new Set(['"', '\\', '$', '`']);

export function splitCommand(text: string, platform: NodeJS.Platform = process.platform): Split {
  const words: string[] = [];
  let word = '';
  let started = false; // tells an empty pair of quotes, which is a word, from no word at all
  let quote: '"' | "'" | undefined;

  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === quote) {
      quote = undefined;
    } else if (char === '\\' && quote !== "'") {
      const next = text.charAt(at + 1);
      started = true;
      if (!escapes(next, quote, platform)) {
        word += char;
      } else if (next === '') {
        return { ok: false, error: 'it ends in a backslash that escapes nothing' };
      } else {
        if (next !== '\n') word += next; // an escaped line break joins two lines
        at++;
      }
    } else if (quote !== undefined) {
      word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      started = true;
    } else if (blank.test(char)) {
      if (started) words.push(word);
      word = '';
      started = false;
    } else {
      word += char;
      started = true;
    }
  }
  if (quote !== undefined) return { ok: false, error: `a ${quote} is never closed` };
  if (started) words.push(word);
  return { ok: true, words };
}

// On Windows a backslash separates folders and only escapes a quote, as its own programs read their command line.
function escapes(next: string, quote: '"' | "'" | undefined, platform: NodeJS.Platform): boolean {
  if (platform === 'win32') return next === '"';
  return quote === undefined || escapableInDoubleQuotes.has(next) || next === '\n';
}
