// Preloaded into a proxy: how long its event loop stood still at most. Answers over the IPC channel, and starts over.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION = 2;

if (process.send !== undefined) {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION });
  delays.enable();
  process.on('message', () => {
    process.send?.(Math.max(0, delays.max / 1e6 - RESOLUTION));
    delays.reset();
  });
  process.channel?.unref();
}
