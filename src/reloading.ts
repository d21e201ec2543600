/**
 * The second half of the composition root, loaded only if something is reloaded. Creates one project, one lineage of
 * servers on it and the sinks in the state directory, and attaches the client on stdio. Decides nothing itself.
 */
export { leftOutWarning } from './project/left-out.js';
import type { Flow, StdioFlowContext } from './flow/flow.js';
import { connectStdio } from './front/stdio.js';
import { Lineage } from './lineage/lineage.js';
import { Project } from './project/project.js';
import { openStateSinks } from './sinks/open-state-sinks.js';

export function serveReloading(context: StdioFlowContext): Flow {
  const stateSinks = openStateSinks(context.events, context.config);
  const project = new Project(context);
  const lineage = new Lineage(context, project);
  const limits = { maxMessage: () => context.config.maxMessage, tooLong: () => context.tooLong };
  void lineage.attach(connectStdio(context.io, limits));
  lineage.begin();
  void lineage.closed.then(async (reason) => {
    await stateSinks.close();
    context.onClosed(reason);
  });
  return {
    close: () => lineage.close({ by: 'client' }),
    signal: (signal) => lineage.close({ by: 'signal', signal }),
    reload: () => lineage.restart(),
  };
}
