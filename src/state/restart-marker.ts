/**
 * The marker of the last restart (`restart.json` in the state directory): so that a restart can be verified afterwards,
 * also by a later connection to the same project. Replaced as a whole, before the old generation stops.
 */
import { join } from 'node:path';
import { NotRegular, readStateFile, writeAtomically, type Written } from './state-file.js';

export interface Marker {
  readonly timestamp: string;
  readonly reason: string;
  readonly generation: number;
  readonly exitCode: number | null;
  /** What brought it about: an edit, a request, a crash, the server's own wish, or a first start that had failed. */
  readonly method: 'change' | 'request' | 'crash' | 'server' | 'start';
  /** The process id of the proxy. */
  readonly proxy: number;
  /** The client session whose server it was, in a proxy that has several. */
  readonly session?: string;
  /** The old server is being stopped, and the new one has not come up yet. */
  readonly begun?: true;
}

const FILE_NAME = 'restart.json';

export function writeMarker(dir: string, marker: Marker): Promise<Written> {
  return writeAtomically(join(dir, FILE_NAME), `${JSON.stringify(marker)}\n`);
}

export type MarkerFile =
  { readonly kind: 'none' } | { readonly kind: 'torn' } | { readonly kind: 'found'; readonly marker: Marker };

export async function readMarker(dir: string): Promise<MarkerFile> {
  let text: string;
  try {
    text = await readStateFile(join(dir, FILE_NAME));
  } catch (error) {
    return { kind: error instanceof NotRegular ? 'torn' : 'none' };
  }
  try {
    const marker = JSON.parse(text) as Partial<Marker>;
    const whole = typeof marker.timestamp === 'string' && typeof marker.generation === 'number';
    return whole && !Number.isNaN(Date.parse(marker.timestamp))
      ? { kind: 'found', marker: marker as Marker }
      : { kind: 'torn' };
  } catch {
    return { kind: 'torn' };
  }
}
