// How costs grow: with the number of files that are watched, and with the number of messages that a reload holds. At
// each size a proxy of its own; round trips, resident memory, and the time from a save to the last answer by the new
// code.
import assert from 'node:assert/strict';
import { open } from '../client.js';
import { connect } from '../connection.js';
import { roundTrips } from '../measure.js';
import { memoryOf } from '../processes.js';
import { median, percentile } from '../stats.js';
import { echo, versions, type Ground } from '../ways.js';
import type { Group, Sample } from './group.js';
import { makeProject, saveAndCall } from './reload.js';

export const fileCounts = [10, 100, 1000, 10_000] as const;
export const heldCounts = [1, 100, 10_000] as const;

export const growth: Group = async (ground, full) => {
  const samples: Sample[] = [];
  for (const count of fileCounts) samples.push(await withFiles(ground, count, full));
  for (const count of heldCounts) samples.push(await withHeld(ground, count, full));
  return Object.assign({}, ...samples) as Sample;
};

async function withFiles(ground: Ground, count: number, full: boolean): Promise<Sample> {
  const tree = await ground.tree(count);
  const connection = await connect(ground.proxy(['--watch', tree], [echo]));
  await roundTrips(connection, 200, 300);
  const trips = await roundTrips(connection, 200, full ? 1000 : 300);
  const resident = memoryOf(connection.pid)?.now;
  await connection.close();

  const project = makeProject(ground);
  const client = await open(
    ground.proxy(['--watch', tree, '--watch', 'version.mjs'], [versions.bare], project.directory),
  );
  await saveAndCall(client, project);
  const reloads: number[] = [];
  for (let cycle = 0; cycle < (full ? 5 : 3); cycle += 1) reloads.push(await saveAndCall(client, project));
  await client.close();
  return {
    [`trip ${count} files`]: percentile(trips, 50),
    ...(resident === undefined ? {} : { [`rss ${count} files`]: resident }),
    [`reload ${count} files`]: median(reloads),
  };
}

/** So many calls are sent at once, right after a save. */
async function withHeld(ground: Ground, count: number, full: boolean): Promise<Sample> {
  const project = makeProject(ground);
  const client = await open(ground.proxy(['--watch', 'version.mjs'], [versions.bare], project.directory));
  await saveAndCall(client, project);
  const reloads: number[] = [];
  for (let cycle = 0; cycle < (full ? 3 : 1); cycle += 1) {
    const version = project.save();
    const begin = performance.now();
    const answers = await Promise.all(Array.from({ length: count }, () => client.call('version')));
    reloads.push(performance.now() - begin);
    assert.ok(answers.every((answer) => answer === version));
  }
  const resident = memoryOf(client.pid)?.now;
  const trips: number[] = [];
  for (let trip = 0; trip < 300; trip += 1) {
    const begin = performance.now();
    await client.call('version');
    trips.push(performance.now() - begin);
  }
  await client.close();
  return {
    [`trip ${count} held`]: percentile(trips, 50),
    ...(resident === undefined ? {} : { [`rss ${count} held`]: resident }),
    [`reload ${count} held`]: median(reloads),
  };
}
