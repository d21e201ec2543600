// The least that a Node process between HTTP and a server that speaks HTTP can do: a reverse proxy on node:http that
// keeps its connections and pipes bodies both ways. The benchmark's yardstick for --upstream: it reads no message.
import { Agent, createServer, request } from 'node:http';

const [port = '', to = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });

createServer((asked, answered) => {
  const { method, url: path, headers } = asked;
  const passed = request({ host: '127.0.0.1', port: to, method, path, headers, agent }, (response) => {
    answered.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(answered);
  });
  passed.on('error', () => answered.destroy());
  asked.pipe(passed);
}).listen(Number(port), '127.0.0.1');

process.on('SIGTERM', () => process.exit(0));
