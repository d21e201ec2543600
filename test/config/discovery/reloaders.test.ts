// Commands that restart the server by themselves, each by the word that makes it do so: two reloaders get in the way
// of each other. Where the warning appears is for complete.test.ts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { place } from './fixture.js';

test('a program that restarts the server by itself is warned of', async (t) => {
  const here = place(t, { 'package.json': { scripts: { dev: 'tsx watch a.ts' } }, 'a.ts': '', 'a.js': '', 'a.py': '' });
  for (const [command, name] of [
    ['npm run dev', 'tsx watch'],
    ['node --watch a.js', 'node --watch'],
    ['node --watch-path=. a.js', 'node --watch-path'],
    ['nodemon a.js', 'nodemon'],
    ['nodemon --exec tsx a.ts', 'nodemon'],
    ['bun --hot a.ts', 'bun --hot'],
    ['deno run --watch a.ts', 'deno --watch'],
    ['uvicorn a:app --reload --port 8000', 'uvicorn --reload'],
    ['uv run uvicorn --reload a:app', 'uvicorn --reload'],
    ['python -m uvicorn a:create() --reload', 'uvicorn --reload'],
    ['gunicorn -b 127.0.0.1:8000 --reload a:app', 'gunicorn --reload'],
    ['hypercorn a:app --reload', 'hypercorn --reload'],
    ['flask --app a run --debug', 'flask --debug'],
    ['fastapi dev a.py', 'fastapi dev'],
    ['fastapi run a.py --reload', 'fastapi --reload'],
    ['fastmcp run a.py --transport http --reload', 'fastmcp --reload'],
  ] as const) {
    const { why, level, watcherWarning } = await here.find(command);
    const warning = `${name} restarts the server too, and a client notices when two do: leave its watch mode out`;
    assert.ok(why.endsWith(`; ${warning}`), why);
    assert.deepEqual([level, watcherWarning], ['warn', warning]);
  }
  for (const command of [
    'node a.js --watch',
    'uvicorn a:app',
    'flask -A a run --debug --no-reload',
    'fastapi run a.py',
  ])
    assert.equal((await here.find(command)).level, 'info', command);
  const { why, level } = await here.find('uvicorn --reload missing:app');
  assert.match(why, /^nothing to watch was found.*; uvicorn --reload restarts the server too/);
  assert.equal(level, 'warn');
});
