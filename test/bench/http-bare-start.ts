// Starts a server that speaks HTTP without a proxy, as often as it is asked to over the IPC channel: spawned,
// introduced, called once. In a process of its own, as bare-start.ts says why.
import { HttpConnection, startListener } from './http-connection.js';
import { ok, openSession, versionCall } from './http-requests.js';
import type { Way } from './ways.js';

process.on('message', (way: Way) => void start(way));

async function start(way: Way): Promise<void> {
  const begin = performance.now();
  const listener = await startListener((port) => ({ ...way, env: { ...way.env, PORT: String(port) } }));
  const connection = await HttpConnection.open(listener.port);
  ok(await connection.ask(versionCall(await openSession(connection))));
  const took = performance.now() - begin;
  connection.close();
  await listener.close();
  process.send?.(took);
}
