// Preloaded into a proxy: how long its event loop stood still at most. Answers over the IPC channel, and starts over.
// Asked to, it collects the garbage, and measures nothing until it is asked again: the clock alone, which ticks every
// two milliseconds, takes 1 % of a processor.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const RESOLUTION = 2;

if (process.send !== undefined) {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION });
  delays.enable();
  process.on('message', (what) => {
    const longest = Math.max(0, delays.max / 1e6 - RESOLUTION);
    delays.reset();
    if (what === 'collect') {
      delays.disable();
      collect();
    } else delays.enable();
    process.send?.(longest);
  });
  process.channel?.unref();
}

function collect(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
