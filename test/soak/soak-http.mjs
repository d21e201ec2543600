// The soak's server as one that speaks HTTP itself, at `PORT`: Streamable HTTP of both eras, with sessions or without, or
// HTTP+SSE. What it answers is soak-server.mjs's.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const STREAM = { 'content-type': 'text/event-stream' };
const eventOf = (message) => `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;

/** `connect`: a connection of a client, as a function that takes its messages. */
export function serveHttp(kind, connect) {
  const serve = kind === 'sse' ? sse(connect) : streamable(connect, kind === 'stateful');
  createServer((req, res) => void serve(req, res)).listen(Number(process.env.PORT), '127.0.0.1');
}

function streamable(connect, hasSessions) {
  const sessions = new Map();
  return async (req, res) => {
    const id = req.headers['mcp-session-id'];
    if (req.method === 'DELETE') {
      sessions.delete(id);
      return res.writeHead(200).end();
    }
    if (req.method === 'GET') {
      if (!hasSessions) return res.writeHead(405).end();
      if (!sessions.has(id)) return notFound(res);
      return res.writeHead(200, STREAM).flushHeaders();
    }
    const message = await messageOf(req);
    const isModern = message.params?.['_meta']?.[VERSION] !== undefined;
    // Without sessions nobody can know how far a client has come.
    if (isModern || !hasSessions) return connect(isModern ? 'new' : stateOf(message))(message, answerBy(res, message));
    if (message.method !== 'initialize') {
      const respond = sessions.get(id);
      return respond === undefined ? notFound(res) : respond(message, answerBy(res, message));
    }
    const opened = randomUUID();
    sessions.set(opened, connect());
    res.setHeader('mcp-session-id', opened);
    return sessions.get(opened)(message, answerBy(res, message));
  };
}

const stateOf = ({ method }) => (method === 'initialize' ? 'new' : 'initialized');

/** The answer alone is JSON; after anything else it is the last event of a stream. */
function answerBy(res, { id, method }) {
  if (id === undefined || method === undefined) {
    res.writeHead(202).end();
    return () => {};
  }
  return (said) => {
    if (said.method !== undefined) {
      if (!res.headersSent) res.writeHead(200, STREAM);
      res.write(eventOf(said));
    } else if (res.headersSent) res.end(eventOf(said));
    else res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', ...said }));
  };
}

function notFound(res) {
  const error = { code: -32001, message: 'Session not found' };
  res.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', error, id: null }));
}

function sse(connect) {
  const streams = new Map();
  return async (req, res) => {
    const { pathname, searchParams } = new URL(req.url, 'http://localhost');
    if (req.method === 'GET' && pathname === '/sse') {
      const id = randomUUID();
      streams.set(id, { res, respond: connect() });
      res.on('close', () => streams.delete(id));
      return res.writeHead(200, STREAM).write(`event: endpoint\ndata: /message?sessionId=${id}\n\n`);
    }
    const stream = streams.get(searchParams.get('sessionId'));
    const message = await messageOf(req);
    if (stream === undefined) return res.writeHead(404).end('Session not found');
    res.writeHead(202).end('Accepted');
    return stream.respond(message, (said) => stream.res.write(eventOf(said)));
  };
}

async function messageOf(req) {
  return JSON.parse(Buffer.concat(await req.toArray()));
}
