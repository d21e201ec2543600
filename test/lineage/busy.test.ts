/** Last words of servers that can't run twice, as their libraries print them, and of code that is wrong. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBusy, isCodeError } from '#src/lineage/busy.js';

const busy = [
  'Error: listen EADDRINUSE: address already in use 127.0.0.1:3000',
  "OSError: [Errno 98] error while attempting to bind on address ('127.0.0.1', 8000): address already in use",
  'listen tcp 127.0.0.1:8080: bind: address already in use',
  'sqlite3.OperationalError: database is locked',
  'SqliteError: database is locked\n  code: SQLITE_BUSY',
  'IO Error: Could not set lock on file "/data/a.duckdb": Conflicting lock is held in /usr/bin/python3.11 (PID 4711)',
  'IO error: lock /data/level/LOCK: Resource temporarily unavailable',
  'IO error: lock /data/level/LOCK: already held by process',
  "{ code: 'LEVEL_LOCKED' }",
  'IO error: While lock file: /data/rocks/LOCK: Resource temporarily unavailable',
  'The profile appears to be in use by another Chromium process (4711) on another computer',
  'Failed to create a ProcessSingleton for your profile directory.',
  'Error: The browser is already running for /data/profile. Use a different `userDataDir` or stop the running browser first.',
];

const wrong = [
  'SyntaxError: Unexpected end of input',
  '  File "server.py", line 3\nIndentationError: unexpected indent',
  "ModuleNotFoundError: No module named 'requests'",
  "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'left-pad' imported from /project/server.js",
  'src/a.ts(1,1): error TS2322: Type string is not assignable to type number.',
  'error[E0425]: cannot find value `x` in this scope',
  'error: could not compile `server` (bin "server") due to 1 previous error',
  './main.go:5:2: undefined: foo',
  'Error: Transform failed with 1 error:',
];

for (const words of busy) {
  test(`"${words.slice(0, 60)}" says that the server can't run twice, not that its code is wrong`, () => {
    assert.deepEqual([isBusy(words), isCodeError(words)], [true, false]);
  });
}

for (const words of wrong) {
  test(`"${words.slice(0, 60)}" says that the code is wrong`, () => {
    assert.deepEqual([isBusy(words), isCodeError(words)], [false, true]);
  });
}

test('other words say neither', () => {
  for (const words of ['', 'Error: set OPENAI_API_KEY first', 'panic: nil map', 'the lock is fine'])
    assert.deepEqual([isBusy(words), isCodeError(words)], [false, false]);
});
