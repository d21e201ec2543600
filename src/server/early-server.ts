/**
 * The first server, started before the proxy is loaded that will serve it: neither needs the other to come up. It
 * waits here until a flow takes it; when that is, and whether it is to be started so early at all, others know.
 */
import { launch, type Launch } from '../process/child.js';
import { newMark } from '../process/mark.js';
import { terminate, type Ladder } from '../process/terminate.js';
import { childSpec, type ServerCommand } from './child-spec.js';

export interface FirstServer {
  /** Of the proxy: its later servers carry the same. */
  readonly mark: string;
  /** When it was about to be started, in milliseconds since the epoch: what is saved later it may not have read. */
  readonly since: number;
  /** It goes to whoever asks first, who then has to see to its end. */
  take(): Promise<Launch> | undefined;
  /** If nobody has taken it. Resolves when it is gone. */
  end(): Promise<void>;
}

/** It has been asked nothing yet, so there is nothing to be patient for. */
const LADDER: Ladder = {
  end: true,
  steps: [
    { signal: 'SIGTERM', after: 0 },
    { signal: 'SIGKILL', after: 700 },
  ],
};

export function startFirst(server: ServerCommand): FirstServer {
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
