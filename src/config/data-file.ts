// Parses the text of a YAML or JSON file, with comments, into plain data, or says where it is broken. The parsers are
// loaded with the first text. The caller knows what the data means.

import { parseJsonc, positionAt, valueOf } from './file/jsonc.js';

export type Data =
  | { readonly ok: true; readonly values: readonly unknown[] }
  | { readonly ok: false; readonly line: number; readonly column: number; readonly problem: string };

/** The format by the file's ending; undefined if it can't be read here. */
export function formatOf(file: string): 'yaml' | 'json' | undefined {
  if (/\.ya?ml$/i.test(file)) return 'yaml';
  return /\.jsonc?$/i.test(file) ? 'json' : undefined;
}

/** A YAML file may hold several documents. */
export async function parseData(text: string, format: 'yaml' | 'json'): Promise<Data> {
  const plain = text.replace(/^\uFEFF/, '');
  return format === 'json' ? parseJson(plain) : parseYaml(plain);
}

function parseJson(text: string): Data {
  const tree = parseJsonc(text);
  if (tree.ok) return { ok: true, values: [valueOf(tree.root)] };
  const { offset, text: problem } = tree.problems[0] ?? { offset: 0, text: 'this is not JSON' };
  return { ok: false, ...positionAt(text, offset), problem };
}

async function parseYaml(text: string): Promise<Data> {
  const { parseAllDocuments } = await import('yaml');
  // Lenient, because the server's own parser decides what is valid: this one only looks for the names of files.
  const documents = parseAllDocuments(text, {
    uniqueKeys: false,
    strict: false,
    merge: true,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const values: unknown[] = [];
  for (const document of 'empty' in documents ? [] : documents) {
    const [error] = document.errors;
    if (error !== undefined) {
      return { ok: false, ...positionAt(text, error.pos[0]), problem: error.message.replace(/\s+/g, ' ') };
    }
    try {
      values.push(document.toJS({ maxAliasCount: 10_000 }));
    } catch (cause) {
      // An alias is unresolved, or aliases expand to too many nodes.
      return { ok: false, line: 1, column: 1, problem: (cause as Error).message.replace(/\s+/g, ' ') };
    }
  }
  return { ok: true, values };
}
