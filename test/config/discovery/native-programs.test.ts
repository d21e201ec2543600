// Compiled programs beside their manifests, and shell scripts that start a server: which build makes the program, which
// sources are watched, and which options are proposed where the manifest leaves a doubt.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { place, type Content } from './fixture.js';

const main = 'package main\n\nfunc main() {}\n';
const program = '\x7fELF';
const pom = (artifact: string, more = ''): string =>
  `<project><parent><artifactId>parent</artifactId></parent><artifactId>${artifact}</artifactId>${more}</project>`;

const built: [title: string, files: Record<string, Content>, command: string, build: string, watched: string[]][] = [
  [
    'go.mod with one main package',
    { 'go.mod': 'module x/own', 'main.go': main },
    './server',
    'go build -o server .',
    ['main.go'],
  ],
  [
    'a main package in cmd',
    { 'go.mod': 'module x/own', 'cmd/own/main.go': main, 'own.go': 'package own\n' },
    'bin/anything',
    'go build -o bin/anything ./cmd/own',
    ['cmd/own/main.go', 'own.go'],
  ],
  [
    'the main package of its name',
    { 'go.mod': 'module x/own', 'cmd/a/main.go': main, 'cmd/b/main.go': main },
    'bin/b',
    'go build -o bin/b ./cmd/b',
    ['cmd/a/main.go', 'cmd/b/main.go'],
  ],
  [
    'a module in a directory',
    { 'api/go.mod': 'module x/own', 'api/main.go': main },
    'api/server',
    'go build -C api -o server .',
    ['api/main.go'],
  ],
  [
    'a Cargo package',
    { 'Cargo.toml': '[package]\nname = "own"\n\n[dependencies]\n', 'src/main.rs': '' },
    'target/debug/own',
    'cargo build --bin own',
    ['Cargo.toml', 'src/main.rs'],
  ],
  [
    'a Cargo binary, release',
    { 'Cargo.toml': '[package]\nname = "own"\n\n[[bin]]\nname = "mcp"\npath = "src/mcp.rs"\n', 'src/mcp.rs': '' },
    'target/release/mcp',
    'cargo build --bin mcp --release',
    ['Cargo.toml', 'src/mcp.rs'],
  ],
  [
    'a member of a Cargo workspace',
    {
      'Cargo.toml': '[workspace]\nmembers = [\n  "crates/*", # all\n]\n',
      'crates/a/Cargo.toml': '[package]\nname = "a"\n',
      'crates/a/src/lib.rs': '',
      'crates/b/Cargo.toml': '[package]\nname = "b"\n',
      'crates/b/src/bin/serve.rs': '',
    },
    'target/debug/serve',
    'cargo build -p b --bin serve',
    ['Cargo.toml', 'crates/a/Cargo.toml', 'crates/a/src/lib.rs', 'crates/b/Cargo.toml', 'crates/b/src/bin/serve.rs'],
  ],
  [
    'a jar of Maven',
    { 'pom.xml': pom('own'), 'src/main/java/Own.java': '' },
    'java -jar target/own-1.0.jar',
    'mvn -q package -DskipTests',
    ['pom.xml', 'src/main/java/Own.java'],
  ],
  [
    'a jar of a module, with a wrapper',
    {
      mvnw: '#!/bin/sh\n',
      'pom.xml': pom('all', '<modules><module>server</module></modules>'),
      'server/pom.xml': pom('own'),
      'server/src/Own.java': '',
    },
    'java -Xmx1g -jar server/target/own.jar --stdio',
    './mvnw -q -pl server -am package -DskipTests',
    ['pom.xml', 'server/pom.xml', 'server/src/Own.java'],
  ],
  [
    'a jar of Gradle',
    {
      'build.gradle.kts': '',
      'settings.gradle.kts': 'rootProject.name = "own"\n',
      gradlew: '#!/bin/sh\n',
      'src/main/kotlin/Own.kt': '',
    },
    'java -jar build/libs/own-all.jar',
    './gradlew -q --no-daemon assemble',
    ['build.gradle.kts', 'settings.gradle.kts', 'src/main/kotlin/Own.kt'],
  ],
];

for (const [title, files, command, build, watched] of built) {
  test(`a compiled program is followed to its sources: ${title}`, async (t) => {
    const file = command.split(' ').find((word) => /server|bin|target|libs/.test(word))!;
    for (const isThere of [true, false]) {
      const here = place(t, { '.git/HEAD': '', ...files, ...(isThere && { [file]: program }) });
      const found = await here.find(command);
      assert.deepEqual(
        found.rules.map((rule) => [rule.build, rule.outputs]),
        [[build, [here.path(file.replace(/^\.\//, ''))]]],
        found.why,
      );
      assert.equal(found.level, 'info');
      const manifests = Object.keys(files).filter((name) => name.endsWith('go.mod'));
      assert.deepEqual(await here.watched(found), { server: [...watched, ...manifests].sort() });
      const others = await here.find(command, { build: false });
      if (isThere)
        assert.deepEqual(
          (await here.watched(others))['server'],
          [file.replace(/^\.\//, '')],
          'somebody else builds it',
        );
    }
  });
}

const doubtful: [title: string, files: Record<string, Content>, command: string, options: string, doubt: RegExp][] = [
  [
    'several main packages',
    { 'go.mod': 'module x', 'cmd/a/main.go': main, 'cmd/b/main.go': main },
    'bin/server',
    `--watch '**/*.go' --build 'go build -o bin/server ./cmd/a'`,
    /go\.mod has several main packages/,
  ],
  [
    'a binary that Cargo.toml does not know',
    { 'Cargo.toml': '[package]\nname = "own"\n', 'src/main.rs': '' },
    'target/debug/other',
    `--watch '**/*.rs' --build 'cargo build'`,
    /Cargo\.toml has no program called other/,
  ],
  [
    'a copy of what Cargo builds',
    { 'Cargo.toml': '[package]\nname = "own"\n', 'src/main.rs': '' },
    './own',
    `--watch '**/*.rs' --build 'cargo build'`,
    /own does not lie where cargo puts/,
  ],
  [
    'a jar of another name',
    { 'pom.xml': pom('own') },
    'java -jar lib/server.jar',
    `--watch '**/*.{java,kt,kts,scala,groovy,properties}' --build 'mvn -q package -DskipTests'`,
    /pom\.xml does not say that it makes lib\/server\.jar/,
  ],
  [
    'a Makefile',
    {
      Makefile: 'CC := gcc\n.PHONY: all\nall: server\nserver: src/main.c\n\tcc -o $@ $<\n',
      'src/main.c': '',
      'src/x.h': '',
    },
    './server',
    `--watch 'src/**/*.{c,h}' --build 'make server'`,
    /Makefile does not tell its sources/,
  ],
];

for (const [title, files, command, options, doubt] of doubtful) {
  test(`a compiled program with a doubt is watched by itself, and the options are told: ${title}`, async (t) => {
    const file = command.split(' ').at(-1)!;
    const here = place(t, { '.git/HEAD': '', ...files, [file]: program });
    const found = await here.find(command);
    assert.deepEqual(await here.watched(found), { server: [file.replace(/^\.\//, '')] });
    assert.equal(found.proposal?.options, options);
    assert.match(found.proposal.doubt, doubt);
    assert.ok(found.why.includes(`use ${options}`), found.why);
    assert.equal(found.level, 'warn');
  });
}

test('a program of somebody else in a project with a manifest is not taken for what it builds', async (t) => {
  const here = place(t, {
    'go.mod': 'module x',
    'main.go': main,
    '.venv/bin/tool': program,
    'third/party/tool': program,
  });
  for (const command of ['.venv/bin/tool', 'third/party/tool']) {
    assert.equal((await here.find(command)).rules[0]?.build, undefined, command);
  }
});

const scripts: [title: string, text: string, entry: string][] = [
  ['its last line', '#!/bin/sh\nset -e\nexec node server.js "$@"\n', 'server.js'],
  ['in its own directory', '#!/usr/bin/env bash\ncd "$(dirname "$0")"\nnode server.js\n', 'bin/server.js'],
  ['by its own directory', '#!/bin/bash\n# starts it\nexec node \\\n  "$(dirname "$0")/../server.js"\n', 'server.js'],
  [
    'by a variable',
    '#!/bin/bash\nDIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"\nexport NODE_ENV=dev\nexec node "$DIR/server.js" --x\n',
    'bin/server.js',
  ],
  ['behind what is not understood', '#!/bin/sh\nif [ -f .env ]; then\n  echo there\nfi\npython3 main.py\n', 'main.py'],
];

for (const [title, text, entry] of scripts) {
  for (const command of ['bin/run.sh', 'sh bin/run.sh', 'bash -e ./bin/run.sh']) {
    test(`a shell script is followed to the server that it starts: ${title}, ${command}`, async (t) => {
      const here = place(t, {
        'bin/run.sh': text,
        'bin/server.js': '',
        'server.js': '',
        'main.py': '',
        'package.json': {},
      });
      const found = await here.find(command);
      const { server = [] } = await here.watched(found);
      assert.ok(server.includes(entry), `${server.join(', ')}: ${found.why}`);
      assert.ok(server.includes('bin/run.sh'), 'the script itself is watched');
      assert.match(found.why, new RegExp(`${entry.replace('.', '\\.')} is `));
    });
  }
}

test('a shell script that is not understood is watched by itself', async (t) => {
  for (const text of [
    '#!/bin/sh\nexec something\n',
    '#!/bin/sh\nexec node "$WHERE/server.js"\n',
    '#!/bin/sh\nnode x | tee y\n',
  ]) {
    const here = place(t, { 'run.sh': text, 'package.json': {} });
    assert.deepEqual(await here.watched(await here.find('./run.sh')), { server: ['run.sh'] }, text);
  }
});

test('a shell script that builds first gets no build of ours', async (t) => {
  const here = place(t, {
    'run.sh': '#!/bin/sh\nset -eu\nnpm run build\nexec node dist/server.js\n',
    'package.json': { scripts: { build: 'tsc' } },
    'tsconfig.json': { compilerOptions: { outDir: 'dist' }, include: ['src'] },
    'src/server.ts': '',
  });
  const found = await here.find('./run.sh');
  assert.equal(found.rules[0]?.build, undefined, found.why);
  assert.deepEqual((await here.watched(found))['server'], ['package.json', 'run.sh', 'src/server.ts', 'tsconfig.json']);
});

test('P4 sources behind a link that leads out of the project are watched', async (t) => {
  const outside = place(t, { 'lib/a.js': '', 'lib/deep/b.js': '', 'lib/c.css': '' });
  const here = place(t, {
    'package.json': {},
    'server.js': '',
    lib: { link: outside.path('lib') },
    inner: { link: 'real' },
    'real/d.js': '',
  });
  for (const more of [{}, { ext: ['js'] }]) {
    const { server = [] } = await here.watched(await here.find('node server.js', more));
    for (const file of ['lib/a.js', 'lib/deep/b.js', 'real/d.js'])
      assert.ok(server.includes(file), `${file}: ${server.join(', ')}`);
    assert.ok(!server.includes('lib/c.css'));
  }
});
