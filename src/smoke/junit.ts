// A smoke run in the form of JUnit's reports, which most CI systems read. Pure.

import { exitCode, type Check, type Report } from './report.js';

export function junit(report: Report): string {
  const { checks, command, ms, started, stderr } = report;
  const failed = checks.filter(({ status }) => status === 'failed').length;
  const counts = {
    tests: checks.length,
    failures: started ? failed : 0,
    errors: started ? 0 : failed,
    skipped: checks.filter(({ status }) => status === 'skipped').length,
    time: seconds(ms),
  };
  const said = stderr === '' ? [] : [`    <system-err>${escaped(stderr)}</system-err>`];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes({ name: 'mcp-hotline smoke', ...counts })}>`,
    `  <testsuite ${attributes({ name: command.join(' '), ...counts })}>`,
    `    <properties><property name="exitCode" value="${exitCode(report)}"/></properties>`,
    ...checks.map((check) => testCase(check, started)),
    ...said,
    '  </testsuite>',
    '</testsuites>\n',
  ].join('\n');
}

function testCase({ group, name, status, ms, detail, problems }: Check, started: boolean): string {
  const head = `    <testcase ${attributes({ classname: group, name, time: seconds(ms) })}`;
  if (status === 'skipped') return `${head}><skipped ${attributes({ message: detail })}/></testcase>`;
  if (status === 'ok') {
    return detail === '' ? `${head}/>` : `${head}><system-out>${escaped(detail)}</system-out></testcase>`;
  }
  const kind = started ? 'failure' : 'error';
  const body = escaped(problems.join('\n'));
  return `${head}><${kind} ${attributes({ message: problems[0] ?? '' })}>${body}</${kind}></testcase>`;
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${escaped(String(value))}"`)
    .join(' ');
}

/** XML can't hold most control characters, not even escaped, nor half a surrogate pair. */
function escaped(text: string): string {
  return text
    .replace(/(?![\n\r\t])\p{Cc}|\p{Cs}|[\uFFFE\uFFFF]/gu, '')
    .replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
