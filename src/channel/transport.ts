/** The names of the ways by which a client and a server, or this proxy and either, are connected. */

/** `http`: Streamable HTTP, of either era. `sse`: HTTP+SSE, of protocol version 2024-11-05. */
export type Transport = 'stdio' | 'http' | 'sse';

export type HttpTransport = Exclude<Transport, 'stdio'>;
