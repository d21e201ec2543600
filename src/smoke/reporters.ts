// A smoke run as text: for people, as TAP 14, as one JSON document, or as JUnit's XML. Text and TAP come check by
// check, the other two at the end. Pure: where it is written is left to the command.

import { junit } from './junit.js';
import type { ReporterName } from './options.js';
import { counted, exitCode, type Check, type Report, type Status } from './report.js';

export interface Reporter {
  /** What is to be written at the beginning, after each check, and at the end; empty for nothing. */
  begin(command: readonly string[]): string;
  check(check: Check): string;
  end(report: Report): string;
}

export function createReporter(name: ReporterName): Reporter {
  return { text: textReporter, tap: tapReporter, json: jsonReporter, junit: junitReporter }[name]();
}

const words: Record<Status, string> = { ok: 'ok', failed: 'FAILED', skipped: 'skipped' };

function textReporter(): Reporter {
  let group: string | undefined;
  return {
    begin: (command) => `mcp-hotline smoke: ${oneLine(command.join(' '))}\n`,
    check(check) {
      const heading = check.group === group ? '' : `\n${check.group}\n`;
      group = check.group;
      const time = check.ms >= 10_000 ? `${(check.ms / 1000).toFixed(1)} s` : `${check.ms} ms`;
      const line = `  ${words[check.status].padEnd(7)} ${time.padStart(8)}  ${oneLine(check.name).padEnd(24)} ${oneLine(check.detail)}`;
      const problems = check.problems.map((problem) => `${indented(`- ${problem}`, 12)}\n`);
      return `${heading}${line.trimEnd()}\n${problems.join('')}`;
    },
    end(report) {
      const { checks, started, stderr, ms } = report;
      const count = (status: Status): number => checks.filter((check) => check.status === status).length;
      const said = stderr === '' ? '' : `\nthe server's last words on stderr\n${indented(stderr, 4)}\n`;
      const skips = count('skipped') > 0 ? `, ${count('skipped')} skipped` : '';
      const sum = `${counted(checks.length, 'check')}: ${count('ok')} passed, ${count('failed')} failed${skips}`;
      const summary = started ? sum : `the server can't be started; ${sum}`;
      return `${said}\n${summary} (${(ms / 1000).toFixed(1)} s)\n`;
    },
  };
}

function tapReporter(): Reporter {
  let count = 0;
  return {
    begin: (command) => `TAP version 14\n# ${oneLine(command.join(' '))}\n`,
    check({ group, name, status, ms, detail, problems }) {
      const title = oneLine(`${group}: ${name}`).replace(/[\\#]/g, '\\$&');
      const skip = status === 'skipped' ? ` # SKIP ${oneLine(detail)}` : '';
      const facts = [
        '  ---',
        `  duration_ms: ${ms}`,
        ...(detail === '' ? [] : [`  detail: ${JSON.stringify(detail)}`]),
        ...(problems.length === 0
          ? []
          : ['  problems:', ...problems.map((problem) => `    - ${JSON.stringify(problem)}`)]),
        '  ...',
      ];
      return `${status === 'failed' ? 'not ok' : 'ok'} ${++count} - ${title}${skip}\n${facts.join('\n')}\n`;
    },
    end({ stderr }) {
      const said = stderr === '' ? '' : `# the server's last words on stderr:\n${comment(stderr)}\n`;
      return `1..${count}\n${said}`;
    },
  };
}

function jsonReporter(): Reporter {
  return {
    begin: () => '',
    check: () => '',
    end: (report) =>
      `${JSON.stringify({ ok: exitCode(report) === 0, exitCode: exitCode(report), ...report }, undefined, 2)}\n`,
  };
}

function junitReporter(): Reporter {
  return { begin: () => '', check: () => '', end: junit };
}

function indented(text: string, by: number): string {
  return printable(text)
    .split('\n')
    .map((line) => `${' '.repeat(by)}${line}`)
    .join('\n');
}

function comment(text: string): string {
  return printable(text)
    .split('\n')
    .map((line) => `#   ${line}`)
    .join('\n');
}

function oneLine(text: string): string {
  return printable(text).replaceAll('\n', ' ');
}

/** What a server says must not move the cursor of whoever reads it. */
function printable(text: string): string {
  return text.replace(/(?![\n\t])\p{Cc}/gu, '');
}
