// The completion script for bash, run by bash itself: what is offered for a line that was typed so far. The scripts for
// zsh and fish, whose shells are not everywhere, are checked for what they must name; completion-shells.test.ts runs
// them where it can.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { completionScript } from '#src/cli/completion.js';
import { commands } from '#src/cli/commands.js';
import { options } from '#src/config/options.js';
import { project, testEnvironment } from '../support/harness.js';
import { bin } from '../support/paths.js';

const hasBash = spawnSync('bash', ['--version']).status === 0;

/** What bash would offer: it hands over the words of the line, split at `=` too, and the number of the last one. */
function offered(line: string, cwd = '/'): string[] {
  const words = line.split(' ').flatMap((word) => word.split(/(?<==)|(?==)/));
  const script = `${completionScript('bash', commands, {})}
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mcp_hotline; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { PATH: process.env['PATH'] };
  const printed = execFileSync('bash', ['--norc', '-uc', script, 'bash', ...words], { cwd, env, encoding: 'utf8' });
  return printed.split('\n').filter((word) => word !== '');
}

const lines: readonly [line: string, offers: readonly string[]][] = [
  ['mcp-hotline ', commands.map(({ name }) => name)],
  ['mcp-hotline s', ['serve', 'smoke', 'status']],
  ['mcp-hotline --str', ['--strategy']],
  ['mcp-hotline run --str', ['--strategy']],
  ['mcp-hotline --strategy ', ['overlap', 'replace']],
  ['mcp-hotline --strategy r', ['replace']],
  ['mcp-hotline --strategy=', ['overlap', 'replace']],
  ['mcp-hotline --strategy=o', ['overlap']],
  ['mcp-hotline --log-level d', ['debug']],
  ['mcp-hotline --signal SIGU', ['SIGUSR1', 'SIGUSR2']],
  ['mcp-hotline --no-', ['--no-poll', '--no-build', '--no-reload', '--no-http']],
  ['mcp-hotline --agent-tools ', ['on', 'off', 'auto']],
  ['mcp-hotline --agent-tools=a', ['auto']],
  ['mcp-hotline --agent-tools --strat', ['--strategy']],
  ['mcp-hotline --hold ', []],
  ['mcp-hotline --watch x ', commands.map(({ name }) => name)],
  ['mcp-hotline --watch=x ', commands.map(({ name }) => name)],
  ['mcp-hotline --poll ', []],
  ['mcp-hotline --http ', []],
  ['mcp-hotline --tok', ['--token']],
  ['mcp-hotline --allowed', ['--allowed-host', '--allowed-origin']],
  ['mcp-hotline serve --po', ['--poll', '--port']],
  ['mcp-hotline serve --htt', []],
  ['mcp-hotline serve --strategy r', ['replace']],
  ['mcp-hotline se', ['serve']],
  ['mcp-hotline --watch x sm', ['smoke']],
  ['mcp-hotline --no-reload --watch x smoke --repo', ['--reporter']],
  ['mcp-hotline --watch=x smoke --repo', ['--reporter']],
  ['mcp-hotline --agent-tools=false smoke --reporter t', ['text', 'tap']],
  ['mcp-hotline --watch x --wat', ['--watch']],
  ['mcp-hotline --watch smoke --repo', []],
  ['mcp-hotline smoke --repo', ['--reporter']],
  ['mcp-hotline smoke --reporter t', ['text', 'tap']],
  ['mcp-hotline smoke --strategy ', ['overlap', 'replace']],
  ['mcp-hotline smoke --log', []],
  ['mcp-hotline smoke --call ', []],
  ['mcp-hotline completion ', ['bash', 'zsh', 'fish']],
  ['mcp-hotline completion --w', []],
  ['mcp-hotline help st', ['status']],
  ['mcp-hotline status s', []],
  ['mcp-hotline -- --wat', []],
];

for (const [line, offers] of lines) {
  test(`bash offers after "${line}": ${offers.join(' ') || 'nothing'}`, { skip: !hasBash }, () => {
    assert.deepEqual(offered(line).sort(), [...offers].sort());
  });
}

test('bash offers every option of the table, and help', { skip: !hasBash }, () => {
  const offers = offered('mcp-hotline --');
  for (const spec of options.filter(({ name }) => name !== 'reload'))
    assert.ok(offers.includes(`--${spec.name}`), spec.name);
  for (const name of ['--help', '--version', '--no-reload', '--no-build']) assert.ok(offers.includes(name), name);
});

test(
  'bash offers paths where a path is due, with spaces in them, and only directories for --cwd',
  { skip: !hasBash },
  (t) => {
    const { directory, path } = project(t);
    mkdirSync(path('src dir'));
    writeFileSync(path('src file'), '');
    for (const option of ['--watch', '-w', '--config', '--ignore'])
      assert.deepEqual(offered(`mcp-hotline ${option} s`, directory).sort(), ['src dir', 'src file'], option);
    assert.deepEqual(offered('mcp-hotline --watch=s', directory).sort(), ['src dir', 'src file']);
    for (const line of [
      '-- ',
      '-- s',
      '-- node s',
      '--watch x -- node s',
      'smoke -- --strategy s',
      'node s',
      'explain node -x s',
    ])
      for (const file of ['src dir', 'src file'])
        assert.ok(offered(`mcp-hotline ${line}`, directory).includes(file), line);
    assert.deepEqual(offered('mcp-hotline --cwd s', directory), ['src dir']);
    assert.deepEqual(offered('mcp-hotline --state-dir s', directory), ['src dir']);
  },
);

for (const shell of ['zsh', 'fish']) {
  test(`the script for ${shell} names every option and command, and quotes what it says about them`, () => {
    const script = completionScript(shell, commands, {});
    for (const { name } of options) assert.ok(script.includes(name === 'reload' ? 'no-reload' : name), name);
    for (const { name, summary } of commands)
      assert.ok(script.includes(name) && script.includes(summary.slice(0, 12)), name);
    // Every line closes the quotes that it opens, but for those in comments.
    for (const line of script.split('\n').filter((one) => !one.startsWith('#'))) {
      assert.equal((line.replaceAll(`'\\''`, '').split("'").length - 1) % 2, 0, line);
    }
  });
}

test('the bin prints the script of the shell that is named, else of $SHELL, else of bash', () => {
  const print = (words: string[], SHELL?: string): string =>
    execFileSync(process.execPath, [bin, 'completion', ...words], {
      env: testEnvironment('completion', { SHELL }),
      encoding: 'utf8',
    });
  assert.equal(print(['zsh'], '/bin/bash'), `${completionScript('zsh', commands, {})}\n`);
  assert.match(print([], '/usr/bin/fish'), /^# Completion of mcp-hotline for fish/);
  assert.match(print([], '/bin/dash'), /^# Completion of mcp-hotline for bash/);
});
