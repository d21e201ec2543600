/**
 * JSON of a value that may be of any size and depth: no more of it is made than is shown. Pure.
 */

export interface BriefJson {
  readonly text: string;
  /** Nothing of it is missing. */
  readonly isWhole: boolean;
}

/** Deeper down nothing is shown: printing would need more than the stack. */
const MAX_DEPTH = 1000;

/** At most the first `max` characters. */
export function briefJson(value: unknown, max: number): BriefJson {
  const out = new Cut(max);
  print(value, out, 0);
  return { text: out.text, isWhole: !out.isFull };
}

class Cut {
  text = '';
  isFull = false;
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  put(text: string): void {
    if (this.isFull) return;
    this.isFull = this.text.length + text.length > this.#max;
    const all = this.text + text;
    this.text = this.isFull ? all.slice(0, this.#max).replace(/[\ud800-\udbff]$/, '') : all;
  }

  /** The rest is left out. */
  end(): void {
    this.isFull = true;
  }

  string(text: string): void {
    const isLong = text.length > this.#max;
    this.put(JSON.stringify(isLong ? text.slice(0, this.#max) : text));
    this.isFull ||= isLong;
  }
}

function print(value: unknown, out: Cut, depth: number): void {
  if (out.isFull) return;
  if (depth > MAX_DEPTH) return out.end();
  if (typeof value === 'string') return out.string(value);
  if (typeof value !== 'object' || value === null) return out.put(JSON.stringify(value) ?? 'null');
  let lead = '';
  if (Array.isArray(value)) {
    out.put('[');
    for (const each of value) {
      out.put(lead);
      print(each, out, depth + 1);
      if (out.isFull) return;
      lead = ',';
    }
    return out.put(']');
  }
  out.put('{');
  for (const name of Object.keys(value)) {
    out.put(lead);
    out.string(name);
    out.put(':');
    print((value as Readonly<Record<string, unknown>>)[name], out, depth + 1);
    if (out.isFull) return;
    lead = ',';
  }
  out.put('}');
}
