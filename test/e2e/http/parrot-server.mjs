// A server of either era that says what it is told to: each request brings the bytes of its answer along, and those of
// the progress before it. Ids and tokens go back as they came, byte for byte, so that nothing but what is in between
// can have changed them.

import { lines } from '../../../fixtures/servers/lines.mjs';

const ID = /^\{"jsonrpc":"2\.0","id":("(?:[^"\\]|\\.)*"|[^",}]+)/;
const TOKEN = /"progressToken":("(?:[^"\\]|\\.)*"|[^",}]+)/;
const ARGUMENTS = ',"arguments":';
const introduction =
  '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"p","version":"1"}}';
const fixed = {
  initialize: introduction,
  'server/discover': '{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete"}',
  'tools/list': '{"tools":[{"name":"say","inputSchema":{"type":"object"}}],"resultType":"complete","ttlMs":0}',
};

for await (const bytes of lines(process.stdin)) {
  const line = bytes.toString();
  const { method, params } = JSON.parse(line);
  const id = ID.exec(line)?.[1];
  if (id === undefined || method === undefined) continue;
  const told = params?.['_meta']?.['test/parrot'];
  const token = TOKEN.exec(line)?.[1];
  const steps = (told?.steps ?? []).map(
    (step, at) =>
      `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":${at},"of":${step}}}\n`,
  );
  const heard = `{"heard":${JSON.stringify(line.slice(line.indexOf(ARGUMENTS) + ARGUMENTS.length, -2))}}`;
  const outcome =
    told?.error !== undefined ? `"error":${told.error}` : `"result":${told?.result ?? fixed[method] ?? heard}`;
  process.stdout.write(`${steps.join('')}{"jsonrpc":"2.0","id":${id},${outcome}}\n`);
}
