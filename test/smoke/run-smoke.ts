// Runs `mcp-hotline smoke` as a process and hands back its exit code and its report. A run must leave no process
// behind, whatever the server did. What the report should say is for the tests.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Check, Report } from '#src/smoke/report.js';
import { emptyDirectory, newMarker, processesLeft, testEnvironment } from '../support/harness.js';
import { bin } from '../support/paths.js';

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface JsonReport extends Report {
  ok: boolean;
  exitCode: number;
}

export async function runBin(
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
  cwd = emptyDirectory,
): Promise<Outcome> {
  const marker = newMarker();
  const child = spawn(process.execPath, [bin, ...words], {
    cwd,
    env: testEnvironment(marker, env),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 90_000,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  assert.deepEqual(
    await processesLeft(marker),
    [],
    `left behind by mcp-hotline ${words.join(' ')}\n${stdout}${stderr}`,
  );
  return { code, stdout, stderr };
}

/** With the JSON reporter; stderr must be empty. */
export async function runSmoke(
  words: readonly string[],
  command: readonly string[],
  env: NodeJS.ProcessEnv = {},
  cwd = emptyDirectory,
): Promise<JsonReport> {
  const { code, stdout, stderr } = await runBin(['smoke', '--reporter', 'json', ...words, '--', ...command], env, cwd);
  assert.equal(stderr, '');
  const report = JSON.parse(stdout) as JsonReport;
  assert.equal(report.exitCode, code, stdout);
  assert.equal(report.ok, code === 0);
  return report;
}

/** `group: name` of the checks that ended so. */
export function named(report: Report, status: Check['status']): string[] {
  return report.checks.filter((check) => check.status === status).map(({ group, name }) => `${group}: ${name}`);
}

export function find(report: Report, group: string, name: string): Check {
  const check = report.checks.find((one) => one.group === group && one.name === name);
  assert.ok(check, `no check ${group}: ${name} in ${JSON.stringify(report, undefined, 2)}`);
  return check;
}
