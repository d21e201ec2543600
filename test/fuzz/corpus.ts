/**
 * The corpus of fixtures/corpus: lines that somebody thought of, and lines that the fuzzer found a difference with. A
 * text is a string, or pieces of which some are repeated; bytes that are no text are given in hexadecimal.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/paths.js';

interface Entry {
  readonly why: string;
  readonly text?: string | readonly (string | readonly [piece: string, times: number])[];
  readonly hex?: string;
}

export interface CorpusLine {
  readonly why: string;
  readonly line: Buffer;
}

export function readCorpus(): CorpusLine[] {
  const folder = join(root, 'fixtures/corpus');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Entry[])
    .map(({ why, text, hex }) => ({ why, line: hex === undefined ? written(text ?? '') : Buffer.from(hex, 'hex') }));
}

function written(text: NonNullable<Entry['text']>): Buffer {
  const pieces = typeof text === 'string' ? [text] : text;
  return Buffer.from(pieces.map((piece) => (typeof piece === 'string' ? piece : piece[0].repeat(piece[1]))).join(''));
}
