// The commands of the program, in the order of the help.

import type { Command } from './command.js';
import { clients } from './commands/clients.js';
import { completion } from './commands/completion.js';
import { explain } from './commands/explain.js';
import { help } from './commands/help.js';
import { log } from './commands/log.js';
import { run } from './commands/run.js';
import { serve } from './commands/serve.js';
import { smoke } from './commands/smoke.js';
import { status } from './commands/status.js';
import { unwrap } from './commands/unwrap.js';
import { version } from './commands/version.js';
import { wrap } from './commands/wrap.js';

export const commands: readonly Command[] = [
  run,
  serve,
  wrap,
  unwrap,
  clients,
  explain,
  status,
  log,
  smoke,
  completion,
  help,
  version,
];
