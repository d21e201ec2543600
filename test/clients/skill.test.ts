// The skill for agents: where it is copied to for each client, what is never overwritten; and that what it, llms.txt
// and AGENTS.md say is true of this version. Real files.

import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { toolDefinitions } from '#src/agent/tools.js';
import { installSkill } from '#src/clients/skill.js';
import { root } from '../support/paths.js';
import { project } from '../support/project.js';

const text = (file: string): string => readFileSync(join(root, file), 'utf8');
const skill = text('skills/mcp-hotline/SKILL.md');

const places: readonly [client: string, inProject: string, inHome: string | undefined][] = [
  ['claude-code', '.claude/skills', '.claude/skills'],
  ['codex', '.agents/skills', '.agents/skills'],
  ['gemini', '.gemini/skills', '.gemini/skills'],
  ['qwen', '.qwen/skills', '.qwen/skills'],
  ['opencode', '.opencode/skills', '.config/opencode/skills'],
  ['kilo', '.kilo/skills', '.kilo/skills'],
  ['vscode', '.github/skills', '.copilot/skills'],
  ['copilot', '.github/skills', '.copilot/skills'],
  ['cursor', '.cursor/skills', '.cursor/skills'],
  ['windsurf', '.windsurf/skills', '.codeium/windsurf/skills'],
  ['zed', '.agents/skills', '.agents/skills'],
  ['cline', '.cline/skills', '.cline/skills'],
  ['goose', '.agents/skills', '.config/agents/skills'],
  ['kiro', '.kiro/skills', '.kiro/skills'],
  ['junie', '.junie/skills', undefined],
];

for (const [client, inProject, inHome] of places) {
  test(`the skill for ${client}: in the project, for the user, and not twice`, (t) => {
    const [here, home] = [project(t), project(t)];
    const file = here.path(`${inProject}/mcp-hotline/SKILL.md`);
    const first = installSkill(client, here.directory, home.directory);
    assert.deepEqual(first, { ok: true, value: { path: file, written: true } });
    assert.equal(readFileSync(file, 'utf8'), skill);
    const again = installSkill(client, here.directory, home.directory, { user: false });
    assert.deepEqual(again, { ok: true, value: { path: file, written: false } });

    const user = installSkill(client, here.directory, home.directory, { user: true });
    if (inHome === undefined) {
      assert.match(
        user.ok ? '' : user.error,
        /documents no directory of skills for a user; most agents read AGENTS\.md/,
      );
      return;
    }
    const path = home.path(`${inHome}/mcp-hotline/SKILL.md`);
    assert.deepEqual(user, { ok: true, value: { path, written: true } });
    assert.equal(readFileSync(path, 'utf8'), skill);
  });
}

test('a client without a documented place gets no file, and is told of AGENTS.md', (t) => {
  const { directory } = project(t);
  for (const client of ['claude-desktop', 'continue', 'lmstudio', 'warp', 'constructor', '']) {
    const result = installSkill(client, directory, directory);
    assert.ok(!result.ok, client);
    assert.match(result.error, /documents no directory of skills; most agents read AGENTS\.md .*SKILL\.md$/);
  }
});

test('a file that differs is left as it is', (t) => {
  const { directory, path, write } = project(t, { '.claude/skills/mcp-hotline/SKILL.md': 'mine\n' });
  const file = path('.claude/skills/mcp-hotline/SKILL.md');
  const result = installSkill('claude-code', directory, directory);
  assert.ok(!result.ok && result.error.startsWith(`${file} is there and is not the skill of this version`));
  assert.equal(readFileSync(file, 'utf8'), 'mine\n');
  write('.gemini', 'a file');
  const blocked = installSkill('gemini', directory, directory);
  assert.ok(!blocked.ok, 'no directory can be made there');
  assert.equal(readFileSync(path('.gemini'), 'utf8'), 'a file');
});

test('what can’t be written is said', { skip: process.getuid?.() === 0 }, (t) => {
  const { directory, path } = project(t, { '.claude/x': '' });
  chmodSync(path('.claude'), 0o500);
  const result = installSkill('claude-code', directory, directory);
  chmodSync(path('.claude'), 0o700);
  assert.match(result.ok ? '' : result.error, /^the skill can't be written to .*EACCES/);
});

test('the skill has what folders of skills ask for: a name like its directory, and a description that fits', () => {
  const [, head = ''] = /^---\n([^]*?)\n---\n/.exec(skill) ?? [];
  const members = Object.fromEntries(
    head.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]),
  );
  assert.deepEqual(Object.keys(members), ['name', 'description']);
  assert.equal(members['name'], 'mcp-hotline');
  assert.ok(members['description']!.length <= 1024 && !members['description']!.includes(': '), 'plain YAML');
});

test('the skill is true: its tools exist, and failures begin as it says', () => {
  const named = new Set([...skill.matchAll(/`(\w+_\w+)(?: \{|`)/g)].map(([, name = '']) => name));
  const ours: readonly string[] = toolDefinitions.map(({ name }) => name);
  assert.deepEqual(named, new Set(ours));
  const words = text('test/agent/words.txt');
  const rows = [...skill.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => [...cell.matchAll(/`(.*?)`/g)]);
  assert.ok(rows.length >= 6);
  for (const [, beginning = ''] of rows)
    for (const part of beginning.split(' ... ')) assert.ok(words.includes(part), part);
});

test('llms.txt links to what is in the package', () => {
  const { files } = JSON.parse(text('package.json')) as { files: string[] };
  for (const name of ['skills', 'llms.txt']) assert.ok(files.includes(name), name);
  const always = ['README.md'];
  for (const [, link = ''] of text('llms.txt').matchAll(/\]\(([^)]+)\)/g)) {
    assert.ok(existsSync(join(root, link)), link);
    assert.ok(
      [...files, ...always].some((entry) => link === entry || link.startsWith(`${entry}/`)),
      `${link} is packed`,
    );
  }
});

test('AGENTS.md names scripts and files that exist', () => {
  const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> };
  const agents = text('AGENTS.md');
  for (const [, name = ''] of agents.matchAll(/npm run ([\w:]+)/g)) assert.ok(Object.hasOwn(scripts, name), name);
  for (const [, file = ''] of agents.matchAll(/`((?:src|test|skills)\/[\w./-]+)`/g))
    assert.ok(existsSync(join(root, file)), file);
});
