// The files that one server of the soak is made of, and the saves of them. Every save carries the next version, so that
// an answer tells which saves its server was started after. When to save is unrest.ts's.

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../support/paths.js';
import type { Random } from '../support/random.js';

const PARTS = 6;
const server = pathToFileURL(join(root, 'test/soak/soak-server.mjs')).href;

export interface Sources {
  readonly directory: string;
  /** Where calls with an effect leave a line. */
  readonly effects: string;
  /** The version of the last save that has returned. */
  readonly saved: number;
  /** The code on the disk does not work at the moment. */
  readonly broken: boolean;
  /** How many times it has been broken. */
  readonly breaks: number;
  /** The tools that the parts bring. */
  readonly tools: readonly string[];
  edit(random: Random): void;
  break(random: Random): void;
  mend(): void;
}

/** The project for `node server.mjs`; `src` is to be watched. */
export function createSources(directory: string): Sources {
  const path = (part: number) => join(directory, `src/part-${part}.mjs`);
  const tools = new Map<number, string>();
  let saved = 0;
  let breaks = 0;
  let brokenPart: number | undefined;

  const text = (part: number, version: number) => {
    const tool = tools.get(part);
    return `export const version = ${version};\n${tool === undefined ? '' : `export const tool = '${tool}';\n`}`;
  };
  const save = (part: number, content: string, way: 'in place' | 'by a rename' | 'anew') => {
    if (way === 'anew') rmSync(path(part));
    const to = way === 'by a rename' ? join(directory, `src/.part-${part}.tmp`) : path(part);
    writeFileSync(to, content);
    if (to !== path(part)) renameSync(to, path(part));
    saved += 1;
  };

  mkdirSync(join(directory, 'src'), { recursive: true });
  const numbers = Array.from({ length: PARTS }, (_, part) => part);
  for (const part of numbers) writeFileSync(path(part), text(part, 0));
  writeFileSync(join(directory, 'effects'), '');
  writeFileSync(
    join(directory, 'server.mjs'),
    [
      `import { serve } from ${JSON.stringify(server)};`,
      ...numbers.map((part) => `import * as part${part} from './src/part-${part}.mjs';`),
      `await serve([${numbers.map((part) => `part${part}`).join(', ')}]);\n`,
    ].join('\n'),
  );

  return {
    directory,
    effects: join(directory, 'effects'),
    get saved() {
      return saved;
    },
    get broken() {
      return brokenPart !== undefined;
    },
    get breaks() {
      return breaks;
    },
    get tools() {
      return [...tools.values()];
    },
    edit(random) {
      const sound = numbers.filter((part) => part !== brokenPart);
      const part = random.pick(sound);
      if (random.chance(0.3)) {
        if (tools.has(part)) tools.delete(part);
        else tools.set(part, `extra-${part}`);
      }
      save(
        part,
        text(part, saved + 1),
        random.weighted([
          [5, 'in place'],
          [3, 'by a rename'],
          [1, 'anew'],
        ] as const),
      );
    },
    break(random) {
      breaks += 1;
      brokenPart = random.pick(numbers);
      save(brokenPart, `export const version = ${saved + 1};\nexport const = ;\n`, 'in place');
    },
    mend() {
      if (brokenPart === undefined) return;
      save(brokenPart, text(brokenPart, saved + 1), 'in place');
      brokenPart = undefined;
    },
  };
}
