// Preloaded into a proxy: how long its event loop stood still at most. Answers over the IPC channel, and starts over.
// Asked to, it collects the garbage first.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const RESOLUTION = 2;

if (process.send !== undefined) {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION });
  delays.enable();
  process.on('message', (what) => {
    if (what === 'collect') collect();
    process.send?.(Math.max(0, delays.max / 1e6 - RESOLUTION));
    delays.reset();
  });
  process.channel?.unref();
}

function collect(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
