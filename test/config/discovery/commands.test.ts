// From a command to its entry: every program that is understood, in every way that its words can be put. What is
// watched then is for the other tests of this folder.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../support/property.js';
import { fact, place, type Content } from './fixture.js';

const node: Record<string, Content> = {
  'package.json': {
    name: '@own/server',
    main: 'server.js',
    bin: { 'own-server': 'bin/own.js' },
    scripts: {
      start: 'node server.js',
      env: 'NODE_ENV=test cross-env A=b C=d node server.js',
      chain: 'cd lib && npm run other; node --enable-source-maps other.js >&2',
      nested: 'npm run start -- --more',
      bun: 'bun run start',
      round: 'npm run round',
      pipe: 'node server.js | tee log',
      local: 'own-tool --port 1',
    },
  },
  'server.js': '',
  'lib/other.js': '',
  'lib/package.json': { scripts: { start: 'node other.js' } },
  'main.ts': '',
  'main.test': '',
  '.env': '',
  'bin/own.js': '#!/usr/bin/env node\n',
  'bin/flags': '#!/usr/bin/env -S node --no-warnings\n',
  'node_modules/.bin/own-tool': { link: '../../bin/own.js' },
  'node_modules/.bin/shim': '#!/bin/sh\nexec node "$basedir/../../bin/own.js" "$@"\n',
  'node_modules/.bin/theirs': { link: '../theirs/cli.js' },
  'node_modules/theirs/cli.js': '#!/usr/bin/env node\n',
  'node_modules/@own/linked': { link: '../../lib' },
  'deno.json': '{ // tasks\n "tasks": { "serve": "deno run -A main.ts", "long": { "command": "deno run main.ts" } } }',
};

const python: Record<string, Content> = {
  'pyproject.toml': '[project]\nname = "own"\n\n[project.scripts]\nown-mcp = "own.cli:main"\n\n[tool.x]\ny = 1\n',
  'server.py': '#!/usr/bin/env python3\n',
  'src/own/cli.py': '',
  'src/own/__main__.py': '',
  'tools/more/__init__.py': '',
  'app/__main__.py': '',
  '.venv/pyvenv.cfg': '',
  '.venv/bin/own-mcp': '#!/venv/python\n',
  '.venv/bin/theirs': '#!/venv/python\n',
  '.venv/bin/python': '#!/bin/sh\n',
};

const others: Record<string, Content> = {
  'server.php': '',
  artisan: '#!/usr/bin/env php\n',
  'server.rb': '',
  Gemfile: '',
  'server.pl': '',
  'run.sh': '#!/bin/sh\nexec something\n',
  tool: '#!/usr/bin/env ruby\n',
  'server.jar': '',
};

const entries: [tree: Record<string, Content>, entry: string, commands: string[]][] = [
  [
    node,
    'server.js',
    [
      'node server.js',
      'node ./server.js --port 1',
      'node ~/server.js',
      'node server',
      'node .',
      'nodejs server.js',
      '/usr/bin/node server.js',
      'C:\\Programs\\node.exe server.js',
      'node20 server.js',
      'node --import ./lib/other.js --no-warnings -r x server.js --import y',
      'node --env-file .env --max-old-space-size=99 -C dev --title x -- server.js',
      'node --inspect-port 0 server.js',
      'node --run start',
      'tsx server.js',
      'bun server.js',
      'bun run start',
      'bun --watch run start',
      'bun start',
      'nodemon --exec node server.js',
      'nodemon -w x server.js',
      'npm start',
      'npm run start',
      'npm run --silent start -- --port 1',
      'npm run env',
      'npm run nested',
      'npm --prefix ~ start',
      'npm run bun',
      'yarn start',
      'yarn run start',
      'yarn --cwd ~ start',
      'yarn node server.js',
      'pnpm start',
      'pnpm run start',
      'pnpm -C ~ start',
      'pnpm exec node server.js',
      'corepack pnpm start',
      'env A=b node server.js',
      'env -i -u X node server.js',
      'A=b C=d node server.js',
      'cross-env A=b node server.js',
      'nice -n 5 node server.js',
      'timeout 10 node server.js',
      'dotenv -e .env -- node server.js',
      'dotenvx run -f .env -- node server.js',
      'mise exec node@22 -- node server.js',
      'cmd /c node server.js',
      'npm exec -- node server.js',
      'npx node server.js',
    ],
  ],
  [node, 'lib/other.js', ['node lib/other.js', 'npm run chain', 'npm --prefix lib start', 'npm start --prefix lib']],
  [node, 'lib/other.js', ['npm start -w lib', 'pnpm --filter @own/linked start', 'yarn workspace @own/linked start']],
  [
    node,
    'main.ts',
    [
      'tsx main.ts',
      'tsx watch main.ts',
      'tsx --tsconfig tsconfig.json main.ts',
      'npx tsx main.ts',
      'npx -y tsx@latest main.ts',
      'pnpm dlx tsx main.ts',
      'bunx tsx main.ts',
      'bun x tsx main.ts',
      'yarn tsx main.ts',
      'npm exec tsx main.ts',
      'ts-node main.ts',
      'ts-node -P tsconfig.json --esm main.ts',
      'ts-node-esm main',
      'node --import tsx main.ts',
      'node --loader ts-node/esm main.ts',
      'bun main.ts',
      'bun run main.ts',
      'deno run -A main.ts',
      'deno run --allow-read=. -c deno.json main.ts',
      'deno task serve',
      'deno task long',
      'vite-node main.ts',
    ],
  ],
  [
    node,
    'bin/own.js',
    [
      './bin/own.js',
      '~/bin/own.js --x',
      'npx .',
      'npx @own/server',
      'npx own-server',
      'npx own-tool',
      'npx shim',
      './node_modules/.bin/own-tool',
      '~/node_modules/.bin/shim',
      'npm run local',
      'pnpm own-tool',
    ],
  ],
  [node, 'bin/flags', ['./bin/flags']],
  [
    python,
    'server.py',
    [
      'python server.py',
      'python3 server.py --port 1',
      'python3.11 -u server.py',
      '/usr/local/bin/python3.12 -X dev -W ignore -B server.py',
      'py -3 server.py',
      'pypy3 server.py',
      './server.py',
      'uv run server.py',
      'uv run --with mcp[cli] -p 3.12 python server.py',
      'uv run mcp run server.py',
      'uv run --with mcp[cli] mcp run ~/server.py:app',
      'uv --directory ~ run server.py',
      'mcp dev server.py',
      'fastmcp run server.py:mcp --transport stdio',
      'python -m mcp run server.py',
      'uvicorn server:app --host 127.0.0.1 --port {port}',
      'uv run uvicorn --port 8000 --factory server:create_app',
      'python -m uvicorn server:app',
      'hypercorn --bind localhost:8000 server:app',
      'granian --interface asgi server:app',
      'gunicorn -w 1 -k uvicorn.workers.UvicornWorker -b 127.0.0.1:8000 server:app',
      'flask --app server:create run --port 5000',
      'flask -A server run',
      'fastapi run server.py --port 8000',
      'fastmcp run server.py --transport http --port {port}',
      'python -m debugpy --listen 5678 server.py',
      'poetry run python server.py',
      'pdm run server.py',
      'rye run python server.py',
      'conda run -n x python server.py',
      'env PYTHONUNBUFFERED=1 python server.py',
    ],
  ],
  [
    python,
    'src/own/__main__.py',
    ['python -m own', 'python -um own', 'uv run -m own', 'uv run python -m own', '.venv/bin/python -m own'],
  ],
  [
    python,
    'src/own/cli.py',
    [
      'python -m own.cli',
      'uv run own-mcp',
      'uvx --from . own-mcp',
      'uv tool run --from ~ own-mcp',
      'pipx run --spec . own-mcp',
      '.venv/bin/own-mcp',
      'poetry run own-mcp',
      'hatch run own-mcp',
    ],
  ],
  [python, 'app/__main__.py', ['python app', 'uv run ./app', 'python -m app']],
  [python, 'tools/more/__init__.py', ['python -m tools.more']],
  [others, 'server.php', ['php server.php', 'php -d memory_limit=1G -f server.php']],
  [others, 'artisan', ['php artisan mcp:start x', './artisan mcp:start x']],
  [others, 'server.rb', ['ruby server.rb', 'bundle exec ruby -I lib -r x server.rb', 'ruby3.2 -W0 server.rb']],
  [others, 'tool', ['./tool']],
  [others, 'server.pl', ['perl -w server.pl']],
];

for (const [tree, entry, commands] of entries) {
  test(`${commands[0]} and ${commands.length - 1} other commands run ${entry}`, async (t) => {
    const here = place(t, tree);
    for (const command of commands) {
      const found = await here.find(command);
      assert.equal(fact(found, 'entry'), entry, `${command}: ${found.why}`);
      assert.notEqual(found.level, 'debug');
    }
    const { server } = await here.watched(await here.find(commands[0]!));
    assert.ok(server?.includes(entry), `${entry} is watched: ${server}`);
  });
}

const nothing: [tree: Record<string, Content>, reason: RegExp, commands: string[]][] = [
  [
    node,
    /it runs code that is not in a file/,
    ['node', 'node -e 1', 'node -p 1', 'node -', 'bun -e 1', 'deno run', 'ts-node -e 1'],
  ],
  [node, /installed/, ['npx theirs', 'node node_modules/theirs/cli.js', './node_modules/.bin/theirs']],
  [
    node,
    /@theirs\/server is a published package, and its sources are not in/,
    ['npx @theirs/server', 'npx -y @theirs/server@1'],
  ],
  [node, /installed/, ['deno run npm:@theirs/server', 'deno run https://example.com/x.ts']],
  [node, /not part of this project/, ['npx some-unknown-server', 'pnpm dlx some-unknown-server']],
  [node, /the script round calls itself/, ['npm run round']],
  [node, /only a shell can tell what this command runs/, ['npm run pipe', 'sh -c "never']],
  [node, /there is no script absent/, ['npm run absent', 'node --run absent']],
  [
    node,
    /does not run a server/,
    ['npm install', 'npm', 'go build', 'cargo build', 'dotnet build', 'uv sync', 'swift test', 'mix'],
  ],
  [node, /a Java program are not looked for/, ['java -cp x Main']],
  [python, /it runs code that is not in a file/, ['python', 'python -c 1', 'python -uc 1', 'python -']],
  [python, /the module http\.server is not in this project/, ['python -m http.server']],
  [python, /installed/, ['uvx their-server', 'uvx --from theirs x', '.venv/bin/theirs', 'pipx run theirs']],
  [others, /it runs code that is not in a file/, ['php -r 1', 'ruby -e 1', 'perl -e 1']],
  [others, /installed/, ['cat', '/bin/cat']],
  [others, /x@latest is a published package/, ['go run example.com/x@latest']],
];

for (const [tree, reason, commands] of nothing) {
  test(`nothing to watch, and the line says why (${reason.source}): ${commands.join(', ')}`, async (t) => {
    const here = place(t, tree);
    for (const command of commands) {
      const found = await here.find(command);
      assert.deepEqual([found.rules, found.level], [[], 'warn'], command);
      assert.match(found.why, reason, command);
      assert.match(found.why, /^nothing to watch was found, .*--watch <path>$/);
    }
  });
}

test('nothing is known of a program on the PATH that is in no project', async (t) => {
  const here = place(t, { 'path/some-program': '#!/usr/bin/env python3\n' });
  const found = await here.find('some-program', { env: { PATH: here.path('path') } });
  assert.match(found.why, /nothing is known of the program some-program/);
});

test('a program that does not exist, or is none, is left to those who start it', async (t) => {
  const here = place(t, { 'plain.txt': 'text' });
  for (const command of ['no-such-program', './no/such/program', './plain.txt', 'nohup no-such-program']) {
    const { rules, level } = await here.find(command);
    assert.deepEqual([rules, level], [[], 'debug'], command);
  }
});

test('a program of which nothing more is known is watched itself, and the line asks for its sources', async (t) => {
  const here = place(t, others);
  for (const [command, file] of [
    ['./run.sh', 'run.sh'],
    ['sh run.sh', 'run.sh'],
    ['java -Xmx1g -jar server.jar', 'server.jar'],
    ['dotnet bin/Debug/net8.0/server.dll', 'bin/Debug/net8.0/server.dll'],
  ] as const) {
    const { rules, why } = await here.find(command);
    assert.deepEqual(
      rules.map(({ watch }) => watch),
      [[file]],
    );
    assert.match(why, /name its sources with --watch/);
  }
});

test('a program on the PATH that is linked from a project is that project', async (t) => {
  const here = place(t, { ...node, 'path/own-server': { link: '../bin/own.js' } });
  const found = await here.find('own-server', { env: { PATH: here.path('path') } });
  assert.equal(fact(found, 'entry'), 'bin/own.js');
});

test('a debugger, wherever it is asked for, leaves room for one server only', async (t) => {
  const here = place(t, { 'package.json': { scripts: { dev: 'node --inspect=0 a.js' } }, 'a.js': '', 'a.py': '' });
  for (const command of ['npm run dev', 'python -m debugpy --listen 1 a.py', 'node --inspect a.js']) {
    assert.equal((await here.find(command)).strategy, 'replace', command);
  }
  assert.equal((await here.find('node a.js')).strategy, undefined);
});

test('the files that the command names besides its entry are watched too', async (t) => {
  const here = place(t, { 'app/a.js': '', 'app/package.json': {}, '.env': '', 'setup.mjs': '' });
  const found = await here.find('node --env-file=.env --import ./setup.mjs --import tsx app/a.js');
  assert.deepEqual(found.rules[0]?.watch.slice(-3).sort(), ['.env', 'app/a.js', 'setup.mjs']);
});

test('words that JavaScript has a meaning for are words like others', async (t) => {
  const here = place(t, { ...node, ...python });
  for (const command of ['npx', 'npm', 'yarn', 'pnpm', 'bun', 'python3 -m', 'uv run', 'npm run']) {
    for (const word of ['toString', 'constructor', '__proto__', 'hasOwnProperty']) {
      const [program, ...first] = command.split(' ');
      const found = await here.find(program!, { args: [...first, word] });
      assert.ok(
        found.rules.every(({ watch }) => watch.every((one) => typeof one === 'string')),
        `${command} ${word}`,
      );
    }
  }
});

test('whatever the words are, there is a rule or a reason', async (t) => {
  const here = place(t, { ...node, ...python, ...others });
  const programs = entries.flatMap(([, , commands]) => commands.map((command) => command.split(' ')[0]!));
  const words = entries.flatMap(([, , commands]) => commands.flatMap((command) => command.split(' ')));
  const word = fc.oneof(fc.constantFrom(...words, '--', '-', '', '&&', '=', '~', '"', '..'), fc.string());
  const line = fc.tuple(fc.constantFrom(...programs), fc.array(word, { maxLength: 6 }));
  await fc.assert(
    fc.asyncProperty(line, async ([command, args]) => {
      const found = await here.find(command, { args });
      assert.equal(found.rules.length === 0, found.why.startsWith('nothing to watch was found'));
      assert.ok(found.rules.every(({ watch }) => watch.length > 0));
    }),
    { numRuns: 400 },
  );
});
