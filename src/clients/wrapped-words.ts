// Decides whether the words of an entry start a server behind the proxy, however the proxy is started: by node and its
// file, by its own command, by npx or another runner of packages. A line for a shell is one word, and is not parsed.

export interface WrappedWords {
  /** Everything up to and with the `--`. */
  readonly proxy: readonly string[];
  readonly server: readonly string[];
}

const runners = new Set('node bun deno tsx npx npm pnpm pnpx yarn bunx corepack env cmd'.split(' '));
const commandsOfRunners = new Set(['exec', 'x', 'dlx', 'run', '/c', '/d', '/s']);
const otherCommands = new Set([
  'explain',
  'status',
  'log',
  'smoke',
  'completion',
  'wrap',
  'unwrap',
  'clients',
  'serve',
]);

/**
 * undefined: not wrapped. The server's words are none where the proxy takes its command from its configuration file.
 */
export function wrappedWords(words: readonly string[]): WrappedWords | undefined {
  const at = words.findIndex(isProxy);
  if (at < 0 || !words.slice(0, at).every(isRunner) || (at > 0 && !runners.has(programOf(words[0] ?? ''))))
    return undefined;
  const rest = words.slice(at + 1);
  const [first] = rest;
  if (first !== undefined && otherCommands.has(first)) return undefined;
  const end = rest.indexOf('--');
  const count = end < 0 ? words.length : at + 1 + end + 1;
  return { proxy: words.slice(0, count), server: words.slice(count) };
}

/** Of the words up to `--` those that start the proxy, without its options. */
export function proxyProgram(proxy: readonly string[]): readonly string[] {
  return proxy.slice(0, proxy.findIndex(isProxy) + 1);
}

/** `mcp-hotline`, its file, the shims that npm makes for it, and with a version as runners of packages take it. */
function isProxy(word: string): boolean {
  return /^mcp-hotline(@[^/\\]+|\.(js|cjs|mjs|cmd|exe|ps1|bat))?$/i.test(word.split(/[/\\]/).at(-1) ?? '');
}

function isRunner(word: string, index: number): boolean {
  if (index === 0) return true;
  const name = programOf(word);
  return word.startsWith('-') || commandsOfRunners.has(word.toLowerCase()) || runners.has(name) || /^\w+=/.test(word);
}

/** The name of a program without its directory and without what Windows adds. */
function programOf(word: string): string {
  const name = (word.split(/[/\\]/).at(-1) ?? '').toLowerCase().replace(/\.(exe|cmd|bat|ps1)$/, '');
  return /^node(js)?[\d.]*$/.test(name) ? 'node' : name;
}
