// `mcp-hotline unwrap`: gives servers their own command back, in the configurations of MCP clients.

import { planUnwrap } from '../../clients/plan-unwrap.js';
import type { Result } from '../../config/check.js';
import { edit, type EditOptions } from './edit.js';

export async function unwrap(
  given: EditOptions,
  names: readonly string[],
  print: (text: string) => Promise<void>,
): Promise<Result<number>> {
  return edit({ options: given, names, verb: 'unwrap', makePlan: planUnwrap, print });
}
