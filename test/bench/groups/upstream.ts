// What `serve` costs in front of a server that speaks HTTP itself: round trips, by turns against a bare reverse proxy
// (http-reverse.ts) in front of the same server, and the time from a save to an answer by the new code, beside the bare
// start of that server.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { HttpConnection, startListener, type Listener } from '../http-connection.js';
import { calls, ok, openSession, versionCall } from '../http-requests.js';
import { median, percentile } from '../stats.js';
import { benchHttp, type Ground } from '../ways.js';
import type { Group } from './group.js';
import { openHttpClient, roundTrips, type HttpClient } from './http.js';
import { makeProject } from './reload.js';
import { inTurns, summary } from './turns.js';

const reverse = fileURLToPath(new URL('../http-reverse.js', import.meta.url));

export const upstreamRoundTrips: Group = async (ground, full) => {
  const server = await startListener((port) => withPort(ground, port));
  // Whoever asks first has to wait for the server.
  (await HttpConnection.open(server.port)).close();
  const watch = ['--watch', await ground.tree(1000)];
  const listeners = new Map<string, Listener>([
    ['reverse', await startListener((port) => ground.node([reverse, String(port), String(server.port)]))],
    ['plain', await startListener((port) => serve(ground, port, ['--no-reload']))],
    ['watching', await startListener((port) => serve(ground, port, watch))],
  ]);
  const sample: Record<string, number> = {};
  try {
    for (const era of ['legacy', 'modern'] as const) {
      const clients = new Map<string, HttpClient>();
      for (const [name, { port }] of listeners) clients.set(name, await openHttpClient(port, era));
      const names = [...listeners.keys()];
      const work = (name: string): Promise<number[]> => roundTrips(clients.get(name)!, full ? 200 : 60);
      await inTurns(full ? 8 : 2, names, work);
      const trips = await inTurns(full ? 15 : 4, names, work);
      Object.assign(
        sample,
        summary(`upstream ${era}`, trips, (blocks) => percentile(blocks.flat(), 50)),
      );
      for (const { connection } of clients.values()) connection.close();
    }
  } finally {
    await Promise.all([...listeners.values(), server].map((listener) => listener.close()));
  }
  return sample;
};

export const upstreamReloads: Group = async (ground, full) => {
  const project = makeProject(ground);
  const listener = await startListener((port) => serve(ground, port, ['--watch', 'version.mjs'], project.directory));
  const starter = fork(fileURLToPath(new URL('../http-bare-start.js', import.meta.url)));
  const bareStart = async (): Promise<number> => {
    starter.send(ground.node([benchHttp], project.directory));
    const [took] = (await once(starter, 'message')) as [number];
    return took;
  };
  const connection = await HttpConnection.open(listener.port);
  const session = await openSession(connection);
  ok(await connection.ask(calls('legacy', session)()));
  const saveAndCall = async (): Promise<number> => {
    const version = project.save();
    const begin = performance.now();
    const answer = await connection.ask(versionCall(session));
    const took = performance.now() - begin;
    assert.ok(String(answer.body).includes(`"${version}"`), String(answer.body));
    return took;
  };
  const [bare, saved]: number[][] = [[], []];
  try {
    await saveAndCall();
    await bareStart();
    for (let cycle = 0; cycle < (full ? 7 : 3); cycle += 1) {
      bare!.push(await bareStart());
      saved!.push(await saveAndCall());
    }
  } finally {
    starter.disconnect();
    connection.close();
    await listener.close();
  }
  return { 'bare start upstream': median(bare!), 'save upstream': median(saved!) };
};

function withPort(ground: Ground, port: number): ReturnType<Ground['node']> {
  const way = ground.node([benchHttp]);
  return { ...way, env: { ...way.env, PORT: String(port) } };
}

function serve(ground: Ground, port: number, options: readonly string[], cwd?: string): ReturnType<Ground['node']> {
  const words = ['--port', String(port), '--upstream', 'http://127.0.0.1:{port}/mcp', ...options];
  return ground.node([ground.bin, 'serve', ...words, '--', process.execPath, benchHttp], cwd);
}
