// Compiled programs on the built bin: a server that Cargo builds, one by a stand-in for Go, and one of which nobody
// knows the sources. What counts as which is for test/config/discovery.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { delimiter } from 'node:path';
import { test } from 'node:test';
import { project, startProxy, type Started } from '../support/harness.js';

const RUST = `use std::io::{self, BufRead, Write};

fn between<'a>(line: &'a str, from: &str) -> Option<&'a str> {
    let start = line.find(from)? + from.len();
    let rest = &line[start..];
    Some(&rest[..rest.find(|c| c == ',' || c == '}').unwrap_or(rest.len())])
}

fn main() {
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        let id = match between(&line, "\\"id\\":") { Some(id) => id, None => continue };
        let result = if line.contains("\\"initialize\\"") {
            "{\\"protocolVersion\\":\\"2025-11-25\\",\\"capabilities\\":{\\"tools\\":{}},\\"serverInfo\\":{\\"name\\":\\"r\\",\\"version\\":\\"1\\"}}".to_string()
        } else if line.contains("\\"tools/list\\"") {
            "{\\"tools\\":[{\\"name\\":\\"word\\",\\"inputSchema\\":{\\"type\\":\\"object\\"}}]}".to_string()
        } else {
            format!("{{\\"content\\":[{{\\"type\\":\\"text\\",\\"text\\":\\"{}\\"}}]}}", own::WORD)
        };
        println!("{{\\"jsonrpc\\":\\"2.0\\",\\"id\\":{},\\"result\\":{}}}", id, result);
        io::stdout().flush().unwrap();
    }
}
`;

/** The words of a server in shell, whose compiler only copies it. */
const server = (word: string): string => `#!/bin/sh
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\\("[^"]*"\\|[0-9]*\\).*/\\1/p')
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"word","inputSchema":{"type":"object"}}]}' ;;
    *) result='{"content":[{"type":"text","text":"${word}"}]}' ;;
  esac
  [ -n "$id" ] && printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$result"
done
`;

async function textOf(proxy: Started, name: string, given: object = {}): Promise<string> {
  const { result, error } = await proxy.request('tools/call', { name, arguments: given });
  assert.equal(error, undefined, proxy.transcript());
  return result.content[0].text as string;
}

const hasCargo = spawnSync('cargo', ['--version']).status === 0;

test(
  'P4 a program that Cargo builds is built, also the first time, and an edit reaches the next call',
  { skip: !hasCargo && 'no cargo' },
  async (t) => {
    const files = project(t, {
      'Cargo.toml': '[workspace]\nmembers = ["crates/*"]\nresolver = "2"\n',
      'crates/own/Cargo.toml':
        '[package]\nname = "own"\nversion = "0.1.0"\nedition = "2021"\n\n[[bin]]\nname = "serve"\npath = "src/serve.rs"\n',
      'crates/own/src/lib.rs': 'pub const WORD: &str = "one";\n',
      'crates/own/src/serve.rs': RUST,
    });
    const proxy = startProxy(t, { command: ['target/debug/serve'], cwd: files.directory });
    await proxy.initialize();
    assert.equal(await textOf(proxy, 'word'), 'one');
    files.write('crates/own/src/lib.rs', 'pub const WORD: &str = "two";\n');
    assert.equal(await textOf(proxy, 'word'), 'two');
    files.write('crates/own/src/lib.rs', 'pub const WORD: &str = "three;\n');
    const { result } = await proxy.request('tools/call', { name: 'word', arguments: {} });
    assert.match(
      result.content[0].text,
      /The build of the MCP server failed: `cargo build -p own --bin serve`[^]*error/,
    );
    files.write('crates/own/src/lib.rs', 'pub const WORD: &str = "four";\n');
    assert.equal(await textOf(proxy, 'word'), 'four');
  },
);

test('P4 a program beside its go.mod is built by `go build`', { skip: process.platform === 'win32' }, async (t) => {
  const files = project(t, {
    'bin/go':
      '#!/bin/sh\n[ "$*" = "build -o server ." ] || exit 9\ncp main.txt server.new && chmod 755 server.new && mv server.new server\n',
    'app/go.mod': 'module example.org/own\n',
    'app/main.go': 'package main\n',
    'app/main.txt': server('one'),
  });
  chmodSync(files.path('bin/go'), 0o755);
  const proxy = startProxy(t, {
    command: ['./server'],
    cwd: files.path('app'),
    env: { PATH: `${files.path('bin')}${delimiter}${process.env['PATH']}` },
  });
  await proxy.initialize();
  assert.match(
    await proxy.waitForLog('watching '),
    /building with "go build -o server \.": server is built from the sources/,
  );
  assert.equal(await textOf(proxy, 'word'), 'one');
  files.write('app/main.txt', server('two'));
  files.write('app/main.go', 'package main // edited\n');
  assert.equal(await textOf(proxy, 'word'), 'two');
});

const C = `#include <stdio.h>
#include <string.h>
int main(void) {
  char line[65536], id[256];
  setvbuf(stdout, NULL, _IOLBF, 0);
  while (fgets(line, sizeof line, stdin)) {
    char *at = strstr(line, "\\"id\\":");
    if (!at || sscanf(at + 5, "%255[^,}]", id) != 1) continue;
    const char *result = strstr(line, "\\"initialize\\"")
      ? "{\\"protocolVersion\\":\\"2025-11-25\\",\\"capabilities\\":{\\"tools\\":{}},\\"serverInfo\\":{\\"name\\":\\"c\\",\\"version\\":\\"1\\"}}"
      : "{\\"tools\\":[]}";
    printf("{\\"jsonrpc\\":\\"2.0\\",\\"id\\":%s,\\"result\\":%s}\\n", id, result);
  }
}
`;

const compiler = 'cc';
const hasCompiler = spawnSync(compiler, ['--version']).status === 0;

test(
  'a program with a Makefile: log and agent are told the options',
  { skip: !hasCompiler && 'no C compiler' },
  async (t) => {
    const files = project(t, { Makefile: 'server: main.c\n\tcc -o server main.c\n', 'main.c': C });
    execFileSync(compiler, ['-o', 'server', 'main.c'], { cwd: files.directory });
    const proxy = startProxy(t, {
      command: ['./server'],
      cwd: files.directory,
      options: ['--agent-tools', '--log-format', 'json'],
    });
    await proxy.initialize();
    const line = await proxy.waitForLog('watching ');
    const options = `--watch '**/*.c' --build 'make server'`;
    assert.equal((JSON.parse(line) as { level: string }).level, 'warn');
    assert.ok(line.includes(options), line);
    for (const [tool, given] of [
      ['server_status', {}],
      ['restart_server', { reason: 'edited' }],
    ] as const) {
      const words = await textOf(proxy, tool, given);
      assert.ok(words.includes(`But only the program server is watched, not its sources`), words);
      assert.ok(words.includes(`start mcp-hotline with \`${options}\``), words);
    }
  },
);
