// A client that uses every transport at once, by fetch alone: on each a call that has reported progress and goes on, and
// every stream that there is. It says when it is so far, with the id of its session, and then waits to be killed.

const [url] = process.argv.slice(2);
const PREFIX = 'io.modelcontextprotocol/';
const both = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const hold = {
  name: 'hold',
  arguments: { file: 'gate' },
  _meta: { progressToken: 'p' },
};
const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'vanishing', version: '1' },
};
const modern = {
  [`${PREFIX}protocolVersion`]: '2026-07-28',
  [`${PREFIX}clientInfo`]: initialize.clientInfo,
  [`${PREFIX}clientCapabilities`]: {},
};

const post = (to, message, headers = {}) =>
  fetch(to, {
    method: 'POST',
    headers: { ...both, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });

/** Reads a stream until it has said this; it stays open. */
async function heard(response, pattern, reader = response.body.getReader()) {
  let text = '';
  while (!pattern.test(text)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the stream has ended: ${text}`);
    text += Buffer.from(value).toString();
  }
  return { found: pattern.exec(text), reader };
}

const opened = await post(url, { id: 0, method: 'initialize', params: initialize });
const session = { 'mcp-session-id': opened.headers.get('mcp-session-id'), 'mcp-protocol-version': '2025-11-25' };
await opened.text();
await post(url, { method: 'notifications/initialized' }, session);
await fetch(url, { headers: { ...session, accept: 'text/event-stream' } });
const call = { id: 'legacy', method: 'tools/call', params: hold };
await heard(await post(url, call, session), /notifications\/progress/);

const events = await fetch(new URL('/sse', url), { headers: { accept: 'text/event-stream' } });
const { found, reader } = await heard(events, /data: (\/message\S+)/);
const endpoint = new URL(found[1], url);
await post(endpoint, { id: 0, method: 'initialize', params: initialize });
await heard(events, /"id":0/, reader);
await post(endpoint, { method: 'notifications/initialized' });
await post(endpoint, { ...call, id: 'sse' });
await heard(events, /notifications\/progress/, reader);

const of = (method, { _meta: more, ...params }) => ({
  id: method,
  method,
  params: { ...params, _meta: { ...more, ...modern } },
});
const headers = (method, name) => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...(name && { 'mcp-name': name }),
});
await heard(await post(url, of('tools/call', hold), headers('tools/call', 'hold')), /notifications\/progress/);
const listen = of('subscriptions/listen', { notifications: { toolsListChanged: true } });
await heard(await post(url, listen, headers('subscriptions/listen')), /acknowledged/);

process.stdout.write(`${JSON.stringify({ session: session['mcp-session-id'] })}\n`);
setInterval(() => {}, 60_000);
