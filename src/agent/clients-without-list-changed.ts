/**
 * The clients known to ignore `notifications/tools/list_changed`: their model keeps the tools of the connection's
 * beginning, whatever an edit adds. With `--agent-tools auto` they alone get `list_server_tools` and
 * `call_server_tool`. A client that is not in the table counts as heeding the notification. Data and its look-up only:
 * which tools follow from it is for exchange/agent-calls.ts.
 */

export interface ClientWithoutListChanged {
  /** What people call it, with the version that was looked at. */
  readonly client: string;
  /**
   * `clientInfo.name`, or its beginning if the client puts something of its own behind it, such as the server's name.
   */
  readonly name: string;
  readonly isPrefix: boolean;
  /** `run`: seen in a session with the real client. `source`: read in its code, and not run. */
  readonly seenIn: 'run' | 'source';
  readonly evidence: string;
}

/**
 * All runs: Linux, November 2026, a model on loopback that was scripted; a tool was added to the server during the
 * session.
 */
export const clientsWithoutListChanged: readonly ClientWithoutListChanged[] = [
  {
    client: 'Codex 0.169',
    name: 'codex-mcp-client',
    isPrefix: false,
    seenIn: 'run',
    evidence: 'it logs the notification, does not ask for the list again, and goes on offering the old tools',
  },
  {
    client: 'Qwen Code 0.24',
    name: 'qwen-cli-mcp-client-',
    isPrefix: true,
    seenIn: 'source',
    evidence: 'it asks for the tools when it connects, and nothing listens for the notification',
  },
  {
    client: 'Cline 3.0',
    name: '@cline/core',
    isPrefix: false,
    seenIn: 'run',
    evidence: 'it does not ask for the list again, and goes on offering the old tools',
  },
  {
    client: 'Continue 1.5',
    name: 'continue-cli-client',
    isPrefix: false,
    seenIn: 'run',
    evidence: 'it does not ask for the list again, and goes on offering the old tools',
  },
];

/** `name`: `clientInfo.name` as the client sent it; undefined if it has not said who it is. */
export function ignoresListChanged(name: string | undefined): boolean {
  if (name === undefined) return false;
  return clientsWithoutListChanged.some((row) => (row.isPrefix ? name.startsWith(row.name) : name === row.name));
}
