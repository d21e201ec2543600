/**
 * A server's arguments as they may be shown to their own user: values that look like keys are masked. For `mcp-hotline
 * status` alone; no log and no audit trail has arguments. When in doubt, a value is masked. Pure.
 */

const MASK = '****';

/** What is given under such a name is meant for nobody's eyes. */
const SECRET_NAME =
  /(?:^|-)(?:api-?key|key|token|secret|pass(?:word|wd|phrase)?|pwd|auth|authorization|bearer|credentials?|cookie|jwt|dsn|signature)s?(?:-|$)/;
const KNOWN_KEY = /^(?:sk-|pk-|rk_|gh[opsu]_|github_pat_|glpat-|xox[a-z]-|AKIA|ASIA|AIza|eyJ|ya29\.|hf_|npm_|shpat_)/;
const HEADER = /^([\w-]+)(\s*:\s*)(\S[^]*)$/;
const ASSIGNMENT = /^(-{0,2}[\w.-]+)=([^]*)$/;
/** `NAME=value`, as `docker run -e` and `env` take it: values of the environment are shown nowhere. */
const VARIABLE = /^[A-Z_][A-Z0-9_]*$/;
const SHORTEST_KEY = 20;

/** The words of a command, program first. */
export function maskArguments(words: readonly string[]): string[] {
  return words.map((word, at) => {
    if (at === 0) return word;
    const before = at > 1 ? (words[at - 1] as string) : '';
    if (/^--?[^=]+$/.test(before) && isSecretName(before) && !word.startsWith('-')) return MASK;
    return maskWord(word);
  });
}

function maskWord(word: string): string {
  const [, name = '', value = ''] = ASSIGNMENT.exec(word) ?? [];
  if (name !== '') return isSecretName(name) || VARIABLE.test(name) ? `${name}=${MASK}` : `${name}=${maskWord(value)}`;
  const [, header = '', colon = ''] = HEADER.exec(word) ?? [];
  if (header !== '' && isSecretName(header)) return `${header}${colon}${MASK}`;
  if (word.includes('://')) return maskUrl(word);
  return looksLikeKey(word) ? MASK : word;
}

function isSecretName(name: string): boolean {
  const plain = name
    .replace(/^-+/, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/[_.]/g, '-')
    .toLowerCase();
  return SECRET_NAME.test(plain);
}

/** User and password, and everything behind the path. */
function maskUrl(url: string): string {
  return url
    .replace(/:\/\/[^/?#@\s]*@/, `://${MASK}@`)
    .replace(/([?&#][^=&#]+=)[^&#]*/g, `$1${MASK}`)
    .replace(/[^/?&#=]+/g, (part) => (looksLikeKey(part) ? MASK : part));
}

/** Long, of letters and digits in no order that a person would give a file or a package. */
function looksLikeKey(word: string): boolean {
  if (KNOWN_KEY.test(word) && word.length >= 8) return true;
  if (word.length < SHORTEST_KEY || !/^[\w+=-]+$/.test(word)) return false;
  const changes = word.match(/[a-zA-Z](?=\d)|\d(?=[a-zA-Z])/g)?.length ?? 0;
  return changes >= 3;
}
