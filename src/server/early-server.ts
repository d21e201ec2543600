/**
 * Starts the first server before the proxy is loaded, because the two can start at the same time. The process is kept
 * here until a flow takes it. `cli/run.ts` decides whether a server may be started so early.
 */
import { launch, type Launch } from '../process/child.js';
import { newMark } from '../process/mark.js';
import { terminate, type Ladder } from '../process/terminate.js';
import { childSpec, type ServerCommand } from './child-spec.js';

export interface EarlyServer {
  /** The mark of the proxy. Its later servers carry the same one. */
  readonly mark: string;
  /** The time just before the spawn, in milliseconds since 1970. The server may not have read later saves. */
  readonly since: number;
  /** Hands the process over, once. The caller then has to stop it. Undefined if it has been taken. */
  take(): Promise<Launch> | undefined;
  /** Stops the process unless it has been taken. Resolves when it has exited. */
  end(): Promise<void>;
}

/** No request has been sent to the server, so it is stopped at once. */
const LADDER: Ladder = {
  end: true,
  steps: [
    { signal: 'SIGTERM', after: 0 },
    { signal: 'SIGKILL', after: 700 },
  ],
};

export function startEarly(server: ServerCommand): EarlyServer {
  const since = Date.now();
  const mark = newMark();
  let waiting: Promise<Launch> | undefined = launch(childSpec(server, 1, mark));
  const take = (): Promise<Launch> | undefined => {
    const launched = waiting;
    waiting = undefined;
    return launched;
  };
  return {
    mark,
    since,
    take,
    async end() {
      const launched = await take();
      if (launched?.ok === true) await terminate(launched.child, LADDER);
    },
  };
}
