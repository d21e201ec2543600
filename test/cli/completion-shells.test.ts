// Completion as a person meets it: lines typed with Tab into an interactive bash or zsh on a pseudo terminal, and what
// fish offers. Shells that are not installed are left out. What bash's function offers for many more lines is in
// completion.test.ts.

import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { completionScript } from '#src/cli/completion.js';
import { commands } from '#src/cli/commands.js';
import { newMarker, processesLeft, project, testEnvironment } from '../support/harness.js';

const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0;
const hasTerminal = process.platform === 'linux' && has('script');

/** What each shell reads at its start, and how it is started. The command is a function that prints its arguments. */
const shells = {
  bash: {
    start: 'bash --noprofile --rcfile start.bash -i',
    file: 'start.bash',
    setup: `mcp-hotline() { printf '%s\\n' BEGIN "$@" END; }\nbind 'set bell-style none'\nPS1='READY> '\n`,
  },
  zsh: {
    start: 'zsh -d -i',
    file: '.zshrc',
    setup: `mcp-hotline() { print -rl -- BEGIN "$@" END }\nautoload -U compinit; compinit -u -D\nPS1='READY> '\n`,
  },
};

/** The words that the shell makes of a line. */
async function completed(t: TestContext, shell: keyof typeof shells, line: string): Promise<string[]> {
  const { start, file, setup } = shells[shell];
  const marker = newMarker();
  const { directory } = withFiles(t);
  writeFileSync(`${directory}/${file}`, `${setup}source ./completion\n`);
  writeFileSync(`${directory}/completion`, completionScript(shell, commands, {}));
  const child = spawn('script', ['-qec', start, '/dev/null'], {
    cwd: directory,
    env: testEnvironment(marker, { ZDOTDIR: directory, HOME: directory, TERM: 'dumb' }),
    timeout: 60_000,
  });
  child.stdin.on('error', () => {});
  let shown = '';
  let typed = false;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    if (!typed && shown.includes('READY> ')) {
      typed = true;
      child.stdin.write(`${line}\n`);
    }
    if (/^END\r$/m.test(shown)) child.stdin.end('exit\n');
  });
  await once(child, 'close');
  assert.deepEqual(await processesLeft(marker), []);
  const [, words] = /^BEGIN\r\n([^]*?)^END\r$/m.exec(shown) ?? [];
  assert.ok(words !== undefined, shown);
  return words.split('\r\n').slice(0, -1);
}

function withFiles(t: TestContext): { directory: string } {
  const { directory, path } = project(t);
  mkdirSync(path('sources'));
  writeFileSync(path('server-one.js'), '');
  writeFileSync(path('server two.js'), '');
  return { directory };
}

const lines: readonly [line: string, words: readonly string[]][] = [
  ['mcp-hotline -- node server-\t', ['--', 'node', 'server-one.js']],
  ['mcp-hotline -- node server\\ \t', ['--', 'node', 'server two.js']],
  ['mcp-hotline -- ./server-\t', ['--', './server-one.js']],
  ['mcp-hotline node server-\t', ['node', 'server-one.js']],
  [
    'mcp-hotline --cwd sou\t expl\t --js\t -- node server-\t',
    ['--cwd', 'sources/', 'explain', '--json', '--', 'node', 'server-one.js'],
  ],
  [
    'mcp-hotline smoke --reporter jun\t -- node --import server-\t',
    ['smoke', '--reporter', 'junit', '--', 'node', '--import', 'server-one.js'],
  ],
  ['mcp-hotline help smo\t', ['help', 'smoke']],
  ['mcp-hotline --hold server-\t', ['--hold', 'server-']],
];

for (const shell of ['bash', 'zsh'] as const) {
  const skip = !hasTerminal || !has(shell) ? `${shell} or script is not installed` : false;
  for (const [line, words] of lines) {
    test(`${shell} makes of "${line.replaceAll('\t', '⇥')}": ${words.join(' ')}`, { skip }, async (t) => {
      const made = await completed(t, shell, line);
      // After a directory that was completed, bash and zsh go on differently.
      const same = (word: string): string => word.replace(/\/$/, '');
      assert.deepEqual(made.map(same), words.map(same));
    });
  }
}

const files = ['server two.js', 'server-one.js'];
const offers: readonly [line: string, offers: readonly string[]][] = [
  ['mcp-hotline st', ['status']],
  ['mcp-hotline -- node server', files],
  ['mcp-hotline --watch x -- node --import server', files],
  ['mcp-hotline smoke -- ./server-', ['./server-one.js']],
  ['mcp-hotline node server', files],
  ['mcp-hotline --watch server', files],
  ['mcp-hotline --cwd s', ['sources/']],
  ['mcp-hotline --watch x exp', ['explain']],
  ['mcp-hotline --watch x explain --js', ['--json']],
  ['mcp-hotline --strategy ', ['overlap', 'replace']],
  ['mcp-hotline smoke --strategy ', ['overlap', 'replace']],
  ['mcp-hotline --poll ', []],
  ['mcp-hotline help s', ['smoke', 'status']],
  ['mcp-hotline completion ', ['bash', 'fish', 'zsh']],
  ['mcp-hotline status s', []],
];

for (const [line, expected] of offers) {
  const skip = !has('fish') && 'fish is not installed';
  test(`fish offers after "${line}": ${expected.join(', ') || 'nothing'}`, { skip }, (t) => {
    const { directory } = withFiles(t);
    const script = `${completionScript('fish', commands, {})}\ncomplete -C ${JSON.stringify(line)}`;
    const env = testEnvironment(newMarker(), { HOME: directory });
    const printed = execFileSync('fish', ['--no-config', '-c', script], { cwd: directory, env, encoding: 'utf8' });
    const words = printed.split('\n').filter((text) => text !== '');
    assert.deepEqual(words.map((text) => text.replace(/\t.*/, '')).sort(), [...expected].sort());
  });
}
