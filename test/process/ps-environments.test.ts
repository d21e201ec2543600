// What `ps` of macOS prints, as text: the environment begins where the command ends, and what can't be told is left
// out.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEnvironments } from '#src/process/ps-environments.js';

const commands = `
    1     1 /sbin/launchd
  501   501 /opt/homebrew/bin/node server.js --name x
  502   501 sleep 60
  503   503 grep MARK=a:1
  504   504 sh -c exec node
  505   505 /usr/bin/python3 -m server
`;
const environments = `
    1     1 /sbin/launchd
  501   501 /opt/homebrew/bin/node server.js --name x HOME=/Users/u MARK=a:1 TERM=xterm
  502   501 sleep 60 MARK=b:2 OTHER_MARK=a:1
  503   503 grep MARK=a:1 HOME=/Users/u
  504   504 node MARK=a:1
  505   505 /usr/bin/python3 -m server OTHER_MARK=a:1
  506   506 new MARK=a:1
`;

test('P13 the variable of each process, its group, and its program without directory and arguments', () => {
  assert.deepEqual(parseEnvironments(commands, environments, 'MARK'), [
    { pid: 501, group: 501, name: 'node', value: 'a:1' },
    { pid: 502, group: 501, name: 'sleep', value: 'b:2' },
  ]);
});

test('P13 without either list nothing is proved', () => {
  assert.deepEqual(parseEnvironments('', environments, 'MARK'), []);
  assert.deepEqual(parseEnvironments(commands, '', 'MARK'), []);
});
