// What servers print when they listen, by framework and in the words of each, and the --upstream that is made of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../support/property.js';
import { httpTraceIn, httpTraceText } from '#src/agent/http-traces.js';
import { options } from '#src/config/options.js';

/** What is printed, what --upstream should be, and the arguments of the command if they matter. */
const rows: readonly (readonly [framework: string, printed: string, upstream: string, args?: string[]])[] = [
  ['Express', 'Server listening on port 3000', 'http://localhost:3000/mcp'],
  ['Express', 'Example app listening on port 8080!', 'http://localhost:8080/mcp'],
  ['Express', '🚀 Server ready at http://localhost:4000/', 'http://localhost:4000/mcp'],
  ['Express with the SDK', 'MCP Streamable HTTP Server listening on port 3000', 'http://localhost:3000/mcp'],
  ['Express with the SDK', 'MCP server listening on http://localhost:3000/mcp', 'http://localhost:3000/mcp'],
  [
    'Express with the SDK, HTTP+SSE',
    'Simple SSE Server running at http://localhost:3001/sse',
    'http://localhost:3001/sse',
  ],
  ['Express, with its routes', 'POST /api/mcp\nListening on 3000', 'http://localhost:3000/api/mcp'],
  ['Hono', 'Server is running on http://localhost:3000', 'http://localhost:3000/mcp'],
  ['Hono', 'Listening on http://localhost:8787', 'http://localhost:8787/mcp'],
  [
    'Fastify',
    '{"level":30,"time":1763517600000,"pid":4711,"hostname":"box","msg":"Server listening at http://127.0.0.1:3000"}\n{"level":30,"time":1763517600001,"pid":4711,"hostname":"box","msg":"Server listening at http://[::1]:3000"}\n',
    'http://127.0.0.1:3000/mcp',
  ],
  [
    'uvicorn',
    'INFO:     Started server process [48213]\nINFO:     Waiting for application startup.\nINFO:     Application startup complete.\nINFO:     Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)\n',
    'http://127.0.0.1:8000/mcp',
  ],
  [
    'uvicorn',
    'INFO:     Uvicorn running on http://0.0.0.0:8000',
    'http://127.0.0.1:{port}/mcp',
    ['app:app', '--port', '8000'],
  ],
  [
    'uvicorn',
    'INFO:     Uvicorn running on http://0.0.0.0:8000',
    'http://127.0.0.1:{port}/mcp',
    ['app:app', '--port=8000'],
  ],
  [
    'uvicorn',
    'INFO:     Uvicorn running on http://0.0.0.0:8000',
    'http://127.0.0.1:8000/mcp',
    ['app:app', '--port=18000'],
  ],
  [
    'FastMCP',
    '╭──────────╮\n│   🖥  Server name:   Demo      │\n│   📦 Transport:     Streamable-HTTP │\n│   🔗 Server URL:    http://127.0.0.1:8000/mcp/ │\n│   📚 Docs:          https://gofastmcp.com │\n╰──────────╯\n',
    'http://127.0.0.1:8000/mcp/',
  ],
  [
    'FastMCP',
    "[11/19/25 10:00:00] INFO     Starting MCP server 'Demo' with transport 'http' on http://127.0.0.1:8000/mcp\nINFO:     Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)",
    'http://127.0.0.1:8000/mcp',
  ],
  [
    'FastMCP, HTTP+SSE',
    "INFO Starting MCP server 'Demo' with transport 'sse' on http://127.0.0.1:8000/sse",
    'http://127.0.0.1:8000/sse',
  ],
  [
    'Flask',
    " * Serving Flask app 'app'\n * Debug mode: off\nWARNING: This is a development server.\n * Running on all addresses (0.0.0.0)\n * Running on http://127.0.0.1:5000\n * Running on http://192.168.1.20:5000\nPress CTRL+C to quit\n",
    'http://127.0.0.1:5000/mcp',
  ],
  ['Django', 'Starting development server at http://127.0.0.1:8000/', 'http://127.0.0.1:8000/mcp'],
  [
    'gunicorn',
    '[2025-11-19 10:00:00 +0000] [4711] [INFO] Listening at: http://0.0.0.0:8000 (4711)',
    'http://127.0.0.1:8000/mcp',
  ],
  [
    'hypercorn',
    '[2025-11-19 10:00:00 +0000] [4711] [INFO] Running on http://127.0.0.1:8000 (CTRL + C to quit)',
    'http://127.0.0.1:8000/mcp',
  ],
  [
    'Spring',
    "2025-11-19T10:00:00.000Z  INFO 4711 --- [main] o.s.b.w.embedded.tomcat.TomcatWebServer  : Tomcat initialized with port 8080 (http)\n2025-11-19T10:00:01.000Z  INFO 4711 --- [main] o.s.b.w.embedded.tomcat.TomcatWebServer  : Tomcat started on port 8080 (http) with context path '/'\n",
    'http://localhost:8080/mcp',
  ],
  ['Spring, older', "Tomcat started on port(s): 8080 (http) with context path ''", 'http://localhost:8080/mcp'],
  ['Spring, reactive', 'Netty started on port 8080 (http)', 'http://localhost:8080/mcp'],
  [
    'Spring',
    'Tomcat started on port 9090 (http)',
    'http://localhost:{port}/mcp',
    ['-jar', 'app.jar', '--server.port=9090'],
  ],
  ['Quarkus', 'Listening on: http://0.0.0.0:8080', 'http://127.0.0.1:8080/mcp'],
  [
    'ASP.NET',
    'info: Microsoft.Hosting.Lifetime[14]\n      Now listening on: http://localhost:5000',
    'http://localhost:5000/mcp',
  ],
  [
    'Vite',
    '  VITE v7.2.0  ready in 312 ms\n\n  ➜  Local:   http://localhost:5173/\n  ➜  Network: http://192.168.1.20:5173/\n  ➜  press h + enter to show help\n',
    'http://localhost:5173/mcp',
  ],
  [
    'Next',
    '  ▲ Next.js 16.0.0\n  - Local:        http://localhost:3000\n  - Network:      http://10.0.0.4:3000\n',
    'http://localhost:3000/mcp',
  ],
  ['Bun', 'Started development server: http://localhost:3000', 'http://localhost:3000/mcp'],
  ['Deno', 'Listening on http://0.0.0.0:8000/ (http://localhost:8000/)', 'http://127.0.0.1:8000/mcp'],
  ['Go', '2025/11/19 10:00:00 Server listening on :8080', 'http://localhost:8080/mcp'],
  ['Rust', 'listening on 127.0.0.1:3000', 'http://127.0.0.1:3000/mcp'],
  ['Rust', 'INFO server: listening addr=0.0.0.0:3000', 'http://127.0.0.1:3000/mcp'],
  ['Puma', '* Listening on http://[::1]:9292', 'http://[::1]:9292/mcp'],
  ['a page beside it', 'Docs at http://localhost:8000/docs', 'http://localhost:8000/mcp'],
  ['a page beside it', 'http://localhost:8000/docs and http://localhost:8000/v1/mcp', 'http://localhost:8000/v1/mcp'],
  ['TLS', 'Listening on https://localhost:8443/mcp', 'https://localhost:8443/mcp'],
  ['the usual port', 'Listening on http://localhost/mcp', 'http://localhost/mcp'],
  ['a sentence', 'The server listens on port 3000. Enjoy!', 'http://localhost:3000/mcp'],
  ['a sentence', 'Ready: open http://localhost:3000.', 'http://localhost:3000/mcp'],
  [
    'Node with a debugger',
    'Debugger listening on ws://127.0.0.1:9229/x\nlistening on 3000',
    'http://localhost:3000/mcp',
  ],
];

for (const [framework, printed, upstream, args = []] of rows) {
  test(`${framework} says where it listens: ${printed.trim().split('\n').at(-1)?.trim().slice(0, 60)}`, () => {
    assert.equal(httpTraceIn(printed, args)?.upstream, upstream);
  });
}

test('other numbers and addresses are no place where the server listens', () => {
  for (const printed of [
    '',
    'GitHub MCP Server running on stdio',
    'Secure MCP Filesystem Server running on stdio, pid 12345',
    'Docs: https://example.com/mcp',
    'Listening for changes in src',
    'see https://nodejs.org:443/en/docs',
    'Debugger listening on ws://127.0.0.1:9229/8f1c\nFor help, see: https://nodejs.org/en/docs/inspector',
    'connected to postgres://localhost:5432/app',
    'Connected to redis at localhost:6379',
    'started in 3000 ms',
    'Server started in 1.234 s',
    'started at 10:15:30',
    'serving 3000 rows',
    'running on node 22',
    'Started server process [48213]',
    'listening on port 99999',
    'ready on 2025-11-19',
    'MCP server v1.10.3000 started',
  ])
    assert.equal(httpTraceIn(printed, ['3000']), undefined, printed);
});

test('the words name what was printed, the option, and what a port in the arguments becomes', () => {
  const fixed = httpTraceIn('Server listening on port 3000', []);
  assert.ok(fixed !== undefined);
  assert.equal(
    httpTraceText(fixed),
    `it printed "port 3000" and nothing of MCP on stdout. If it speaks MCP over HTTP there, add --upstream 'http://localhost:3000/mcp' to the options of mcp-hotline; where the server takes its port from PORT or an argument, write {port} there instead of the number, and the old server serves until the new one is ready`,
  );
  const named = httpTraceIn('Uvicorn running on http://127.0.0.1:8000 (Press', ['app:app', '--port', '8000']);
  assert.ok(named !== undefined);
  assert.equal(
    httpTraceText(named),
    `it printed "http://127.0.0.1:8000" and nothing of MCP on stdout. If it speaks MCP over HTTP there, add --upstream 'http://127.0.0.1:{port}/mcp' to the options of mcp-hotline, and write {port} instead of 8000 in the server's arguments: every start then gets a free port`,
  );
});

test('whatever is printed, what is found is a value that --upstream takes', () => {
  const form = options.find(({ name }) => name === 'upstream');
  assert.ok(form?.type === 'text' && form.form !== undefined);
  const allowed = new RegExp(form.form.pattern, 'u');
  const word = fc.constantFrom(
    'http://',
    'https://',
    'localhost',
    '127.0.0.1',
    '[::1]',
    '*',
    '0.0.0.0',
    ':',
    '3000',
    '65536',
    '/',
    'mcp',
    'sse',
    '?a=b',
    '#c',
    'port',
    'listening on',
    ' ',
    '\n',
    '"',
    '{port}',
    'é',
    '.',
    '%20',
    '{',
    '\\',
    '\u2028',
  );
  let found = 0;
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), (words) => {
      const trace = httpTraceIn(words.join(''), ['3000']);
      if (trace === undefined) return;
      found++;
      assert.match(trace.upstream, allowed);
      assert.ok(URL.canParse(trace.upstream.replace('{port}', '1')), trace.upstream);
    }),
    { numRuns: 3000 },
  );
  assert.ok(found > 50, String(found));
});
