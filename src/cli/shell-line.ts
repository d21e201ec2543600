// Words as one line for a shell, to be copied. Which words they are is left to others.

import { quoted } from './completion/words.js';

/** One line for a shell. */
export function shellLine(words: readonly string[], platform: NodeJS.Platform = process.platform): string {
  return words
    .map((word) => {
      if (/^[\w@%+=:,./\\-]+$/.test(word) && (platform === 'win32' || !word.includes('\\'))) return word;
      return platform === 'win32' ? `"${word.replaceAll('"', '\\"')}"` : quoted(word);
    })
    .join(' ');
}
