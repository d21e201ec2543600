// .gitignore files, as layers: each directory that has one adds a layer for everything below it. The deepest layer that
// has an opinion decides, as in git. Finding and reading the files is listing.ts's work; names ignored by default and
// --ignore are filter.ts's.
import ignore from 'ignore';

/** One .gitignore file, seen from the directory whose entries are asked about. */
export interface Layer {
  readonly rules: Rules;
  /** From the file's directory to the one asked about: '' or 'a/b/'. */
  readonly prefix: string;
}

interface Rules {
  readonly lines: readonly string[];
  matcher: ignore.Ignore;
  asked: number;
}

const OPTIONS = { ignorecase: process.platform === 'win32' || process.platform === 'darwin' };
// The matcher remembers every path that it was asked about. A copy shares the compiled patterns and starts empty.
const REMEMBERED = 2000;

export function parseLayer(text: string, prefix: string): Layer {
  return { rules: compile(text.replace(/^\uFEFF/, '').split(/\r?\n/)), prefix };
}

function compile(lines: readonly string[]): Rules {
  const matcher = ignore(OPTIONS);
  lines.forEach((pattern, index) => matcher.add({ pattern, mark: String(index) }));
  return { lines, matcher, asked: 0 };
}

function ask(layer: Layer, name: string): ignore.TestResult {
  const { rules } = layer;
  if (++rules.asked > REMEMBERED) {
    rules.matcher = ignore(OPTIONS).add(rules.matcher);
    rules.asked = 0;
  }
  return rules.matcher.test(layer.prefix + name);
}

/** `name` ends in a slash for a directory. */
export function isIgnored(layers: readonly Layer[], name: string): boolean {
  for (let index = layers.length - 1; index >= 0; index--) {
    const verdict = ask(layers[index]!, name);
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}

/** The layers as they are seen from the child directory `name` of the one they were made for. */
export function below(layers: readonly Layer[], name: string): Layer[] {
  // A directory that one layer ignores and that is entered all the same (another layer or its being named says so)
  // would take everything in it along: of those lines only what they say of deeper paths is left.
  return layers.map((layer) => {
    const prefix = `${layer.prefix}${name}/`;
    const kept = replaced(layer, `${name}/`, (line) => deeper(line, prefix));
    return { rules: kept.rules, prefix };
  });
}

/** The layer less the lines that ignore `name`: what is named explicitly is watched whatever they say. */
export function without(layer: Layer, name: string): Layer {
  return replaced(layer, name, () => '');
}

/** The layer with other lines in place of those that ignore `name`, or none where the other one does so too. */
function replaced(layer: Layer, name: string, instead: (line: string) => string): Layer {
  let current = layer;
  for (;;) {
    const { ignored, rule } = ask(current, name);
    if (!ignored || rule?.mark === undefined) return current;
    const { lines } = current.rules;
    const at = Number(rule.mark);
    const line = lines[at] === layer.rules.lines[at] ? instead(lines[at]!) : '';
    current = { rules: compile(lines.with(at, line)), prefix: layer.prefix };
  }
}

/**
 * What a line that ignores `directory` (with a slash at its end) says of paths below it, as a line of the same file.
 */
function deeper(line: string, directory: string): string {
  const anchor = `/${directory.replace(/[\\*?[\]!#]/g, '\\$&')}**`;
  if (/(^|\/)\*\*\s*$/.test(line)) return anchor;
  const open = line.lastIndexOf('**/');
  // A slash that is not the last character ties a pattern to its place.
  if (open < 0 && /\/(?!\s*$)/.test(line)) return '';
  return `${anchor}/${open < 0 ? line : line.slice(open + 3)}`;
}

/**
 * The layer of a directory that is named explicitly. Tools put a lone `*` into the directories that they make, which
 * says "not for git" and would leave nothing of what was named; with exceptions (`!`) a `*` means what it says.
 */
export function inNamedDirectory(layer: Layer): Layer {
  if (layer.rules.lines.some((line) => line.startsWith('!'))) return layer;
  return without(layer, 'any name at all');
}
