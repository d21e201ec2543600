// Tools that compile a project and run it in one command: which project their words name. They build by themselves.

import { dirname, resolve } from 'node:path';
import { isDirectory, isFile, realOf } from './disk.js';
import { readFlags } from './flags.js';
import { nothing, type Invocation, type Runner, type Search, type ResolveStep } from './discovery.js';
import { nativeProgram } from './native-programs.js';

function go(args: readonly string[], { cwd }: Invocation): ResolveStep {
  const taking =
    '-C -tags -ldflags -gcflags -asmflags -mod -modfile -overlay -p -exec -pkgdir -toolexec -covermode -coverpkg';
  const before = readFlags(args, taking);
  if (before.rest[0] !== 'run') return nothing(`go ${before.rest[0] ?? ''} does not run a server`);
  const { rest, value } = readFlags(before.rest.slice(1), taking);
  const base = resolve(cwd, value('-C') ?? before.value('-C') ?? '');
  const [word = '.'] = rest;
  if (word.includes('@')) return nothing(`${word} is a published package, and its sources are not in this project`);
  const path = resolve(base, word);
  const directory = isDirectory(path) ? path : isFile(path) ? dirname(path) : base;
  return { kind: 'project', language: 'go', directory };
}

function cargo(args: readonly string[], { cwd }: Invocation): ResolveStep {
  const taking =
    '-p --package --bin --example --manifest-path -C --profile -F --features --target --target-dir -j --jobs --color --config -Z';
  const before = readFlags(args[0]?.startsWith('+') ? args.slice(1) : args, taking);
  const [sub, ...behind] = before.rest;
  if (sub !== 'run' && sub !== 'r') return nothing(`cargo ${sub ?? ''} does not run a server`);
  const { value } = readFlags(behind, taking);
  const base = resolve(cwd, before.value('-C') ?? '');
  const manifest = value('--manifest-path');
  return { kind: 'project', language: 'rust', directory: manifest ? dirname(resolve(base, manifest)) : base };
}

function dotnet(args: readonly string[], { cwd }: Invocation): ResolveStep {
  const words = args[0] === 'watch' || args[0] === 'exec' ? args.slice(1) : args;
  const [sub = ''] = words;
  if (sub.endsWith('.dll')) return { kind: 'itself', file: resolve(cwd, sub) };
  if (sub.endsWith('.cs')) return { kind: 'file', language: 'dotnet', file: resolve(cwd, sub) };
  if (sub !== 'run') return nothing(`dotnet ${sub} does not run a server`);
  const { value } = readFlags(
    words.slice(1),
    '--project -c --configuration -f --framework -r --runtime -lp --launch-profile',
  );
  const project = resolve(cwd, value('--project') ?? '');
  return { kind: 'project', language: 'dotnet', directory: isDirectory(project) ? project : dirname(project) };
}

function java(args: readonly string[], { cwd }: Invocation, search: Search): ResolveStep {
  const jar = args[args.indexOf('-jar') + 1];
  if (args.includes('-jar') && jar !== undefined) {
    const file = resolve(cwd, jar);
    return nativeProgram(realOf(file), search) ?? { kind: 'itself', file };
  }
  const source = args.find((word) => word.endsWith('.java'));
  return source !== undefined
    ? { kind: 'file', language: 'java', file: resolve(cwd, source) }
    : nothing('the sources of a Java program are not looked for');
}

function swift(args: readonly string[], { cwd }: Invocation): ResolveStep {
  const { value } = readFlags(args.slice(1), '--package-path -c --configuration');
  if (args[0] !== 'run') return nothing('swift does not run a server');
  return { kind: 'project', language: 'swift', directory: resolve(cwd, value('--package-path') ?? '') };
}

function dart(args: readonly string[], { cwd }: Invocation): ResolveStep {
  const { rest } = readFlags(args[0] === 'run' ? args.slice(1) : args, '-r -D');
  const file = resolve(cwd, rest[0] ?? '');
  return isFile(file)
    ? { kind: 'file', language: 'dart', file }
    : { kind: 'project', language: 'dart', directory: cwd };
}

function mix(args: readonly string[], { cwd }: Invocation): ResolveStep {
  return args.length === 0
    ? nothing('mix does not run a server')
    : { kind: 'project', language: 'elixir', directory: cwd };
}

export const toolchains: Readonly<Record<string, Runner>> = { go, cargo, dotnet, java, swift, dart, mix };
