// Arguments that the agent's own tools refuse, and what they say then. For the tests of the check, of the published
// schemas, and of the built bin.

import type { AgentTool } from '#src/agent/tools.js';

const long = 'x'.repeat(501);

export const refusedArguments: readonly [tool: AgentTool, given: object, says: RegExp][] = [
  ['restart_server', {}, /"reason" is missing; expected a text of 1 to 500 characters/],
  ['restart_server', { reason: '' }, /"reason" is ""; expected a text/],
  ['restart_server', { reason: ' ' }, /"reason" is " "; expected a text/],
  ['restart_server', { reason: '\t\n\u00a0' }, /"reason" is .*; expected a text/],
  ['restart_server', { reason: long }, /"reason" is "x+…; expected a text/],
  ['restart_server', { reason: 1 }, /"reason" is 1;/],
  ['restart_server', { reason: 'x', rebuild: 'yes' }, /"rebuild" is "yes"; expected true or false/],
  ['restart_server', { reason: 'x', force: true }, /"force" is not an argument.*reason, rebuild/],
  ['verify_server_restarted', {}, /"since_timestamp" is missing; expected a time in ISO 8601/],
  ['verify_server_restarted', { since_timestamp: 1700000000 }, /"since_timestamp" is 1700000000/],
  ...[
    'yesterday',
    '',
    '09:30',
    '16 Nov 2026',
    '2026-11-16T09:30:00',
    '2026-13-40T00:00:00Z',
    '2026-11-00',
    '2026-11-32',
  ]
    .concat(['2026-11-16T25:00:00Z', '2026-11-16T09:60:00Z', '2026-11-16T09:30:00+99:00', '2026-11-16T09:30:00Z '])
    .map((since_timestamp): [AgentTool, object, RegExp] => [
      'verify_server_restarted',
      { since_timestamp },
      /"since_timestamp" is ".*"; expected a time in ISO 8601/,
    ]),
  ['server_status', { wait: 1 }, /"wait" is 1; expected true or false/],
  ['server_status', { log: -1 }, /"log" is -1; expected a whole number from 0 to 1000/],
  ['server_status', { log: 1001 }, /"log" is 1001/],
  ['server_status', { log: 1.5 }, /"log" is 1.5/],
  ['list_server_tools', { cursor: 'x' }, /"cursor" is not an argument.*takes name/],
  ['list_server_tools', { name: '' }, /"name" is ""; expected the name of a tool/],
  ['call_server_tool', {}, /"name" is missing; expected the name of a tool/],
  ['call_server_tool', { name: '' }, /"name" is ""; expected the name of a tool/],
  ['call_server_tool', { name: 'add', arguments: [] }, /"arguments" is \[\]; expected an object/],
];
