// kill -9 at random moments: of servers, of what they started, of builds and of the proxy itself, under traffic and
// edits, in starts, builds, handshakes, swaps and drains. Projects live through several proxies, each on the state that
// the one before left. What each moment owes the client is traffic.ts's to judge; here is that everything goes on, and
// that nothing stays.

import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestContext } from 'node:test';
import { processesLeft, project, startProxy, type Started } from '../../support/harness.js';
import type { Project } from '../../support/project.js';
import { readLog } from '../../support/proxy-log.js';
import { createRandom, type Random } from '../../support/random.js';
import { stateIsWhole } from './state.js';
import { noneTwice, traffic, wordsOf, type Counts } from './traffic.js';
import { files, roles, source, victim, type Role } from './victims.js';

export interface Tally extends Counts {
  kills: number;
  proxies: number;
  /** Kills by who died and what was going on, as far as the log had said. */
  readonly hits: Map<string, number>;
}

interface Plan {
  readonly kills: number;
  readonly seed: number;
  /** Told after each proxy. */
  progress?(tally: Tally): void;
}

interface Scene {
  readonly files: Project;
  readonly options: readonly string[];
  readonly random: Random;
  readonly tally: Tally;
  saved: number;
}

export async function killRounds({ kills, seed, progress }: Plan): Promise<Tally> {
  const choices = createRandom(seed);
  const tally: Tally = { kills: 0, proxies: 0, asked: 0, answered: 0, told: 0, lost: 0, hits: new Map() };
  while (tally.kills < kills) {
    await scoped(async (t) => {
      const build = choices.chance(0.5);
      const options = [
        '--strategy',
        choices.pick(['overlap', 'replace']),
        ...(build ? ['--build', 'sh build.sh'] : []),
      ];
      const scene: Scene = { files: project(t, files(build)), options, random: choices, tally, saved: 0 };
      for (let proxies = 0; proxies < 4 && tally.kills < kills; proxies++) {
        try {
          await scoped((life) => live(life, scene));
        } catch (error) {
          const where = `seed ${seed}, after ${tally.kills} kills (${options.join(' ')})`;
          throw new Error(`${where}: ${String(error)}`, { cause: error });
        }
        if (choices.chance(0.5)) save(scene);
        progress?.(tally);
      }
    });
  }
  return tally;
}

/** The life of one proxy. */
async function live(t: TestContext, scene: Scene): Promise<void> {
  const { random: choices, tally } = scene;
  const proxy = startProxy(t, {
    options: ['--watch', 'src', '--state-dir', 'state', '--drain', '150', ...scene.options, ...logging],
    command: [process.execPath, 'server.mjs'],
    cwd: scene.files.directory,
    mayLeave: true,
  });
  tally.proxies++;
  let killed = false;
  const strike = async (role: Role, within: number): Promise<void> => {
    await delay(choices.below(within)); // Not a wait for something: the point in time is the test's input.
    killed = kill(proxy, role, tally) && role === 'proxy';
  };
  const opened = proxy.initialize().then(async () => {
    if (!killed) await proxy.request('tools/list');
  });
  opened.catch(() => {});
  const early = choices.chance(0.3);
  if (early) await strike(choices.pick(roles), 400);
  await opened.catch((error: unknown) => {
    if (!killed) throw error;
  });
  if (killed) return gone(proxy, scene);
  if (!early) await atRest(proxy, scene);

  const over = new AbortController();
  const asking = { proxy, files: scene.files, random: choices, saved: () => scene.saved, counts: tally };
  const asked = traffic(asking, over.signal, () => killed);
  asked.catch(() => {}); // looked at below
  for (let strikes = 2 + choices.below(4); strikes > 0 && !killed; strikes--) {
    if (choices.chance(0.7)) save(scene);
    await strike(
      strikes === 1 && choices.chance(0.5) ? 'proxy' : choices.pick(roles.slice(0, -1)),
      choices.pick(moments),
    );
  }
  if (!killed) {
    save(scene);
    await atRest(proxy, scene);
  }
  over.abort();
  await asked;
  noneTwice(scene.files);
  await gone(proxy, scene);
}

/** How long after an edit, or the kill before, in milliseconds: a reload takes longer on a machine that is busy. */
const moments = [50, 350, 1200];

const logging = ['--log-format', 'json', '--log-level', 'debug'];

function save(scene: Scene): void {
  scene.files.write('src/script.mjs', source(scene.saved + 1, scene.random.pick([0, 0, 100])));
  scene.saved++;
}

/** With nobody killing: what is on the disk serves. */
async function atRest(proxy: Started, { saved }: Scene): Promise<void> {
  const answer = await proxy.request('tools/call', { name: 'version' });
  assert.equal(wordsOf(answer), undefined, proxy.transcript());
  assert.equal(answer.result.content[0].text, String(saved), proxy.transcript());
}

/**
 * Closes what is still there. A proxy that was killed leaves servers that see the end of their stdin, and so does a
 * build.
 */
async function gone(proxy: Started, { files: here }: Scene): Promise<void> {
  proxy.end();
  const { code, signal } = await proxy.exit();
  if (signal === null) assert.equal(code, 0, proxy.transcript());
  const left = await processesLeft(proxy.marker, signal === null ? 5_000 : 20_000);
  assert.deepEqual(left, [], `left behind\n${proxy.transcript()}`);
  noneTwice(here);
  if (signal === null) stateIsWhole(here.path('state'));
}

/** Whether there was somebody to kill. */
function kill(proxy: Started, role: Role, tally: Tally): boolean {
  const pid = victim(proxy.marker, role);
  if (pid === undefined) return false;
  const hit = `${role}, ${phaseOf(proxy.stderr())}`;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    return false; // it ended between the look and the kill
  }
  tally.kills++;
  tally.hits.set(hit, (tally.hits.get(hit) ?? 0) + 1);
  return true;
}

/** What was going on, by the last event in the log that tells. */
function phaseOf(log: string): string {
  const phases: Record<string, string> = {
    starting: 'first start',
    building: 'building',
    built: 'starting',
    change: 'starting',
    reloaded: 'draining',
    failed: 'failed',
    crashed: 'restarting',
  };
  const events = readLog(log).filter(({ event }) => event in phases || event === 'drained' || event === 'ready');
  return phases[events.at(-1)?.event ?? 'starting'] ?? 'serving';
}

/** A test context's part in cleaning up, for less than a test. */
async function scoped(run: (t: TestContext) => Promise<void>): Promise<void> {
  const undos: (() => unknown)[] = [];
  const scope = { after: (undo: () => unknown) => void undos.push(undo) };
  try {
    await run(scope as unknown as TestContext);
  } finally {
    for (const undo of undos) await undo();
  }
}
