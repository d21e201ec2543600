// The least that a Node process between HTTP and a server on stdio can do: it hands on the body of each request and
// writes the line that comes back as its answer, in the order of the requests. The benchmark's yardstick: it knows no
// session, compares no id, and refuses nothing. Its server has a session of its own, as the proxy's has, without which
// what it has started can't be ended together with it.
import { spawn } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';

const [port = '', command = '', ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
const waiting: ServerResponse[] = [];
let rest: Buffer[] = [];

child.stdout.on('data', (chunk: Buffer) => {
  let start = 0;
  for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
    const piece = chunk.subarray(start, end);
    const line = rest.length === 0 ? piece : Buffer.concat([...rest, piece]);
    rest = [];
    start = end + 1;
    const headers = { 'content-type': 'application/json', 'content-length': line.length };
    waiting.shift()?.writeHead(200, headers).end(line);
  }
  if (start < chunk.length) rest.push(chunk.subarray(start));
});

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    waiting.push(response);
    child.stdin.write(Buffer.concat([...chunks, Buffer.from('\n')]));
  });
}).listen(Number(port), '127.0.0.1');

process.on('SIGTERM', () => {
  child.once('exit', () => process.exit(0));
  child.stdin.end();
});
