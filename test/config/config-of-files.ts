// The configuration in force as the files say it, without discovery.
import type { Resolved } from '#src/config/config.js';
import type { Result } from '#src/config/check.js';
import { createConfigInForce, type ConfigInForce } from '#src/config/config-in-force.js';

export function configOfFiles(first: Resolved, resolve: () => Result<Resolved>): ConfigInForce {
  let latest = first;
  return createConfigInForce(first, {
    get watchTargets() {
      return [...latest.configFileCandidates, ...latest.config.envFiles];
    },
    async read() {
      const again = resolve();
      if (again.ok) latest = again.value;
      return again;
    },
  });
}
