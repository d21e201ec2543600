// What a save costs: until a call is answered by the new code, until an idle client hears of a changed list, and a
// restart by the agent's tool. Beside the first, the bare start of the same server: spawned, introduced, called.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { open, type Client } from '../client.js';
import { median } from '../stats.js';
import { versions, type Ground } from '../ways.js';
import type { Group } from './group.js';

export interface Project {
  readonly directory: string;
  /** Saves the next version, and says which. */
  save(): string;
}

let lastProject = 0;
let lastVersion = 0;

export function makeProject(ground: Ground): Project {
  lastProject += 1;
  mkdirSync(join(ground.scratch, 'projects'), { recursive: true });
  const directory = mkdtempSync(join(ground.scratch, 'projects', `${lastProject}-`));
  const save = (): string => {
    lastVersion += 1;
    const version = `version ${lastVersion}`;
    writeFileSync(join(directory, 'version.mjs'), `export const version = '${version}';\n`);
    return version;
  };
  save();
  return { directory, save };
}

/** Milliseconds from a save to an answer by the new code. */
export async function saveAndCall(client: Client, project: Project): Promise<number> {
  const version = project.save();
  const begin = performance.now();
  const said = await client.call('version');
  const took = performance.now() - begin;
  assert.equal(said, version);
  return took;
}

export interface BareStarts {
  /** Milliseconds of one more. */
  next(): Promise<number>;
  end(): void;
}

export function bareStarts(ground: Ground, server: string, { directory }: Project): BareStarts {
  const starter = fork(fileURLToPath(new URL('../bare-start.js', import.meta.url)));
  return {
    async next() {
      starter.send(ground.node([server], directory));
      const [took] = (await once(starter, 'message')) as [number];
      return took;
    },
    end: () => starter.disconnect(),
  };
}

const kinds = Object.entries(versions);

export const reloads: Group = async (ground, full) => {
  const sample: Record<string, number> = {};
  const cycles = full ? 7 : 3;
  for (const [kind, server] of kinds) {
    const project = makeProject(ground);
    const client = await open(ground.proxy(['--watch', 'version.mjs'], [server], project.directory));
    const starts = bareStarts(ground, server, project);
    await saveAndCall(client, project);
    await starts.next();
    const [bare, saved]: number[][] = [[], []];
    for (let cycle = 0; cycle < cycles; cycle += 1) {
      bare!.push(await starts.next());
      saved!.push(await saveAndCall(client, project));
    }
    await client.close();
    starts.end();
    sample[`bare start ${kind}`] = median(bare!);
    sample[`save ${kind}`] = median(saved!);
  }
  return sample;
};

/** Nobody asks for anything meanwhile, so the debounce counts. */
export const notices: Group = async (ground, full) => {
  const project = makeProject(ground);
  const options = ['--watch', 'version.mjs', '--agent-tools'];
  const client = await open(ground.proxy(options, [versions.sdk], project.directory));
  await client.request('tools/list');
  const [changed, restarted]: number[][] = [[], []];
  for (let cycle = 0; cycle < (full ? 7 : 3); cycle += 1) {
    const told = client.notified('notifications/tools/list_changed');
    project.save();
    const saved = performance.now();
    await told;
    changed!.push(performance.now() - saved);
    // Who is reloaded time and again without being asked anything is taken for a server that writes its own files.
    await client.request('tools/list');
    const begin = performance.now();
    await client.call('restart_server', { reason: 'bench' });
    restarted!.push(performance.now() - begin);
    await client.request('tools/list');
  }
  await client.close();
  return { list_changed: median(changed!), restart: median(restarted!) };
};
