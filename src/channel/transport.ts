/** The names of the transports: how a client, or a server, is connected to this proxy. Types only. */

/** `http`: Streamable HTTP, of either era. `sse`: HTTP+SSE, of protocol version 2024-11-05. */
export type Transport = 'stdio' | 'http' | 'sse';

export type HttpTransport = Exclude<Transport, 'stdio'>;
