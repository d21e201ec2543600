// The forms that texts among the options must have, each as a regular expression and in words. Which option has which
// is said in options.ts.

/** The name of a host, as a `Host` header has it: an address of version 6 in brackets, and no port. */
const hostName = '([0-9A-Za-z_]([0-9A-Za-z_.-]*[0-9A-Za-z_])?|\\[[0-9A-Fa-f]*:[0-9A-Fa-f:.]*\\])';

export const forms = {
  host: {
    pattern: '^([0-9A-Za-z_]([0-9A-Za-z_.-]*[0-9A-Za-z_])?|[0-9A-Fa-f.]*:[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*)$',
    expected: 'an address of this machine without a port, as in 127.0.0.1, ::1 or 0.0.0.0',
  },
  token: {
    pattern: '^(auto|[!-~]{16,1024})$',
    expected: 'auto, or 16 to 1024 characters of ASCII without spaces',
  },
  allowedHost: {
    pattern: `^${hostName}$`,
    expected: 'the name of a host without scheme, port and path, as in dev.example.com',
  },
  allowedOrigin: {
    pattern: `^[A-Za-z][0-9A-Za-z+.-]*://${hostName}(:[0-9]{1,5})?$`,
    expected: 'an origin without a path, as in https://dev.example.com or http://192.168.1.5:3000',
  },
  upstream: {
    pattern: `^https?://${hostName}(:([0-9]{1,5}|\\{port\\}))?([/?][^\\s{}#]*)?$`,
    expected:
      "the URL of the server's MCP endpoint over http or https, as in http://127.0.0.1:{port}/mcp, where {port} may stand for the port and for nothing else",
  },
} as const;
