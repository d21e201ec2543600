// action.yml: its form, and its steps as GitHub runs them, by bash with the variables set, on a copy of this checkout
// whose packages are installed and which has not been built. What GitHub itself does (fetching the action, showing
// annotations) is not run here.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test, type TestContext } from 'node:test';
import { parse } from 'yaml';
import { newMarker, project, testEnvironment } from '../support/harness.js';
import { root } from '../support/paths.js';
import type { Project } from '../support/project.js';

interface Step {
  name: string;
  id?: string;
  shell: string;
  env?: Record<string, string>;
  run: string;
}
interface Action {
  name: string;
  description: string;
  inputs: Record<string, { description: string; required: boolean; default: string }>;
  outputs: Record<string, { description: string; value: string }>;
  runs: { using: string; steps: Step[] };
}

const action = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as Action;
const { inputs, outputs } = action;
const { steps } = action.runs;
const readme = readFileSync(join(root, 'README.md'), 'utf8');

test('action.yml: a composite action whose steps name their shell', () => {
  assert.equal(action.runs.using, 'composite');
  for (const { shell } of steps) assert.equal(shell, 'bash');
  for (const part of [...Object.values(inputs), ...Object.values(outputs)]) assert.ok(part.description.length > 10);
});

test('action.yml: inputs reach a step as variables, never in the text of its script', () => {
  for (const { run } of steps) assert.ok(!run.includes('${{'), run);
  const used = steps.flatMap(({ env = {} }) => Object.values(env));
  assert.deepEqual(
    used,
    Object.keys(inputs).map((name) => `\${{ inputs.${name} }}`),
  );
});

test('action.yml: each output is one of the step’s, and README shows the action with inputs that exist', () => {
  for (const [name, { value }] of Object.entries(outputs)) assert.equal(value, `\${{ steps.smoke.outputs.${name} }}`);
  const [, example = ''] = /```yaml\n([^]*?)```/.exec(readme.slice(readme.indexOf('## In CI'))) ?? [];
  const shown = parse(example) as { uses?: string; with?: Record<string, unknown> }[];
  const own = shown.find(({ uses }) => uses?.includes('mcp-hotline'));
  assert.ok(own?.with !== undefined && Object.keys(own.with).length >= 4, example);
  for (const name of Object.keys(own.with)) assert.ok(Object.hasOwn(inputs, name), name);
});

interface Outcome {
  readonly code: number | null;
  readonly output: string;
  readonly outputs: Record<string, string>;
  readonly summary: string;
}

const hasBash = existsSync('/bin/bash') || existsSync('/usr/bin/bash');

describe('action.yml, run step by step', { skip: !hasBash }, () => {
  let checkout = '';
  before(async () => {
    checkout = mkdtempSync(join(tmpdir(), 'mcp-hotline-action-'));
    for (const name of ['bin', 'scripts', 'src', 'package.json', 'tsconfig.json', 'yarn.lock', 'action.yml'])
      cpSync(join(root, name), join(checkout, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'), 'junction');
    const { code, output } = await bash(steps[0]!, {}, checkout);
    assert.equal(code, 0, output);
    assert.ok(existsSync(join(checkout, 'dist/bundle/main.cjs')), 'it was built');
  });
  after(() => rmSync(checkout, { recursive: true, force: true }));

  /** One step as GitHub runs it: its script in a file, and bash with these options. */
  async function bash(
    step: Step,
    given: NodeJS.ProcessEnv,
    cwd: string,
  ): Promise<{ code: number | null; output: string }> {
    const script = join(mkdtempSync(join(checkout, 'step-')), 'script.sh');
    writeFileSync(script, step.run);
    const env = { ...testEnvironment(newMarker()), GITHUB_ACTION_PATH: checkout, GITHUB_ACTIONS: 'true', ...given };
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], { cwd, env });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, output };
  }

  /** The last step with these inputs, and the defaults of all others. */
  async function smoke(workspace: Project, given: Record<string, string>): Promise<Outcome> {
    const value = (text: string): string =>
      text.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name: string) => given[name] ?? inputs[name]?.default ?? '');
    const step = steps.at(-1)!;
    const variables = Object.entries(step.env ?? {}).map(([name, text]) => [name, value(text)]);
    mkdirSync(workspace.path('runner'));
    const files = {
      GITHUB_OUTPUT: workspace.path('runner/output'),
      GITHUB_STEP_SUMMARY: workspace.path('runner/summary'),
    };
    for (const file of Object.values(files)) writeFileSync(file, '');
    const env = { ...(Object.fromEntries(variables) as object), ...files, GITHUB_WORKSPACE: workspace.directory };
    const { code, output } = await bash(step, env, workspace.directory);
    const written = readFileSync(files.GITHUB_OUTPUT, 'utf8');
    const found = [...written.matchAll(/^([\w-]+)<<(\S+)\n([^]*?)\n\2$/gm)].map(([, name = '', , text = '']) => [
      name,
      text,
    ]);
    const summary = readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8');
    return { code, output, outputs: Object.fromEntries(found) as Record<string, string>, summary };
  }

  const workspaceOf = (t: TestContext, firstLine = ''): Project => {
    const files = project(t);
    cpSync(join(root, 'fixtures/projects/javascript'), files.path('server dir'), { recursive: true });
    const source = readFileSync(files.path('server dir/server.js'), 'utf8');
    files.write('server dir/server.js', `${firstLine}\n${source}`);
    return files;
  };
  const server = { command: `"${process.execPath}" server.js`, 'working-directory': 'server dir' };

  test('a good server: exit code 0, outputs, a JUnit report in a new directory, a summary', async (t) => {
    const files = workspaceOf(t);
    const {
      code,
      output,
      outputs: out,
      summary,
    } = await smoke(files, {
      ...server,
      call: 'greet={}\ngreet\n',
      expect: 'Hello\n',
      reload: 'true',
      timeout: '60000',
      options: '--watch "server.js" --strategy replace',
      junit: 'reports/smoke.xml',
    });
    assert.equal(code, 0, output);
    assert.match(output, /over a reload[^]*\d+ checks: \d+ passed, 0 failed/);
    const report = files.path('reports/smoke.xml');
    assert.deepEqual([out['exit-code'], out['failed'], out['junit']], ['0', '0', report]);
    assert.ok(Number(out['checks']) > 10, out['checks']);
    const xml = readFileSync(report, 'utf8');
    assert.equal([...xml.matchAll(/<testcase /g)].length, Number(out['checks']));
    assert.doesNotMatch(xml, /<failure/);
    assert.match(summary, /^### mcp-hotline smoke\n\n {4}mcp-hotline smoke: /);
  });

  test('the same over HTTP, and an input that is neither true nor false', async (t) => {
    const files = workspaceOf(t);
    const good = await smoke(files, { ...server, call: 'greet={}', expect: 'Hello', http: 'true' });
    assert.equal(good.code, 0, good.output);
    assert.match(good.output, /legacy, HTTP\n[^]*legacy, HTTP\+SSE\n/);
    const bad = await smoke(workspaceOf(t), { ...server, http: 'yes' });
    assert.equal(bad.code, 1);
    assert.match(bad.output, /http: yes is not allowed, expected true or false/);
  });

  test('a check that fails: exit code 1, an annotation, and the report all the same', async (t) => {
    const files = workspaceOf(t);
    const {
      code,
      output,
      outputs: out,
    } = await smoke(files, {
      ...server,
      call: 'greet',
      expect: 'Goodbye: 100%, really',
      junit: 'smoke.xml',
    });
    assert.equal(code, 1, output);
    assert.equal(out['exit-code'], '1');
    assert.ok(Number(out['failed']) > 0);
    assert.match(output, /^::error title=mcp-hotline smoke%2C .*::.*Goodbye: 100%25, really/m);
    assert.match(readFileSync(files.path('smoke.xml'), 'utf8'), /<failure/);
  });

  test('a server that can’t be started: exit code 2', async (t) => {
    const { code, output, outputs: out } = await smoke(workspaceOf(t, 'process.exit(1);'), server);
    assert.equal(code, 2, output);
    assert.equal(out['exit-code'], '2');
    assert.equal(out['junit'], undefined);
  });

  test('nothing that an input contains is run by a shell', async (t) => {
    const files = workspaceOf(t);
    const attack = '"; touch pwned; $(touch pwned) `touch pwned` \'';
    for (const name of ['call', 'expect', 'reload', 'timeout', 'junit', 'options', 'command', 'working-directory']) {
      rmSync(files.path('runner'), { recursive: true, force: true });
      await smoke(files, { ...server, call: 'greet', [name]: attack });
      assert.ok(!existsSync(files.path('pwned')) && !existsSync(files.path('server dir/pwned')), name);
    }
  });

  test('what a server prints is no command to GitHub', async (t) => {
    const files = workspaceOf(t, `console.error('::add-mask::oops'); if (process.argv[2]) process.exit(1);`);
    const { output } = await smoke(files, { ...server, command: `${server.command} broken` });
    const [, token = '', inside = ''] = /^::stop-commands::(\S+)\n([^]*)^::\1::$/m.exec(output) ?? [];
    assert.match(inside, /^\s*::add-mask::oops/m);
    assert.doesNotMatch(output.replace(inside, ''), /^\s*::add-mask/m);
    assert.match(token, /^[\w-]{36}$/);
  });

  const refused: readonly [title: string, given: Record<string, string>, error: RegExp][] = [
    ['a directory that is not there', { 'working-directory': 'gone' }, /working-directory: .*gone is no directory/],
    [
      'more expectations than calls',
      { call: 'greet', expect: 'a\nb' },
      /expect: it has more lines than call has calls/,
    ],
    ['a bad switch', { reload: 'maybe' }, /reload: maybe is not allowed, expected true or false/],
    ['an option that does not exist', { options: '--wach src' }, /unknown option --wach; did you mean --watch\?/],
    ['a command among the options', { options: '-- node x' }, /options: they contain --/],
    ['a call that is none', { call: 'greet={' }, /--call: .* is not allowed, expected name=\{json\}/],
    ['a quote without an end', { command: 'node "x' }, /command: /],
  ];
  for (const [title, given, error] of refused) {
    test(`wrong usage is an annotation: ${title}`, async (t) => {
      const { code, output, outputs: out } = await smoke(workspaceOf(t), { ...server, ...given });
      assert.equal(code, 1, output);
      assert.match(output, error);
      assert.match(output, /^::error title=/m);
      assert.equal(out['exit-code'], '1');
    });
  }
});
