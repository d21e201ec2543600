/**
 * JSON of a value that may be of any size and depth: no more of it is made than is shown. Pure.
 */

export interface BriefJson {
  readonly text: string;
  /** Nothing of it is missing. */
  readonly isWhole: boolean;
}

/** At most the first `max` characters. Each level has a bracket, so it goes no deeper than it is long. */
export function briefJson(value: unknown, max: number): BriefJson {
  const out = new Cut(max);
  print(value, out);
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

  string(text: string): void {
    const isLong = text.length > this.#max;
    this.put(JSON.stringify(isLong ? text.slice(0, this.#max) : text));
    this.isFull ||= isLong;
  }
}

function print(value: unknown, out: Cut): void {
  if (out.isFull) return;
  if (typeof value === 'string') return out.string(value);
  if (typeof value !== 'object' || value === null) return out.put(JSON.stringify(value) ?? 'null');
  let lead = '';
  if (Array.isArray(value)) {
    out.put('[');
    for (const each of value) {
      out.put(lead);
      print(each, out);
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
    print((value as Readonly<Record<string, unknown>>)[name], out);
    if (out.isFull) return;
    lead = ',';
  }
  out.put('}');
}
