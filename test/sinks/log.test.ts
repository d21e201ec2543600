// One event, one line, in both formats; levels; colour; and that no field can break a line.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../support/property.js';
import { wantsColour } from '#src/sinks/colour.js';
import { createLog, type LogOptions } from '#src/sinks/log.js';
import type { EventName, Fields, Level } from '#src/sinks/log-words.js';

type Log = Record<Level, (name: EventName, text: string, fields?: Fields) => void>;

function collect(options: Partial<LogOptions> = {}): { log: Log; lines: string[] } {
  const lines: string[] = [];
  const write = createLog({ level: 'debug', format: 'text', write: (line) => lines.push(line), ...options });
  const at =
    (level: Level): Log['info'] =>
    (name, text, fields = {}) =>
      write({ level, name, text, fields });
  return { log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }, lines };
}

test('a line of text has the name in front and shows no fields', () => {
  const { log, lines } = collect();
  log.info('reloaded', 'reloaded in 412 ms (src/a.ts), generation 3: + tool add', { generation: 3 });
  assert.deepEqual(lines, ['mcp-hotline: reloaded in 412 ms (src/a.ts), generation 3: + tool add\n']);
});

test('a line of JSON has time, level, event, text and the fields', () => {
  const { log, lines } = collect({ format: 'json' });
  log.warn('failed', 'the build failed', { files: ['a.ts'], ms: 4, none: undefined });
  const { time, ...rest } = JSON.parse(lines[0]!);
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(rest, { level: 'warn', event: 'failed', text: 'the build failed', files: ['a.ts'], ms: 4 });
  assert.deepEqual(Object.keys(JSON.parse(lines[0]!)).slice(0, 3), ['time', 'level', 'event']);
});

test('the level decides what is written', () => {
  const levels = ['debug', 'info', 'warn', 'error'] as const;
  const writtenAt = (level: LogOptions['level']): string[] => {
    const { log, lines } = collect({ level });
    for (const name of levels) log[name]('warning', name);
    return lines.map((line) => line.trim().split(' ')[1]!);
  };
  assert.deepEqual(writtenAt('debug'), ['debug', 'info', 'warn', 'error']);
  assert.deepEqual(writtenAt('info'), ['info', 'warn', 'error']);
  assert.deepEqual(writtenAt('warn'), ['warn', 'error']);
  assert.deepEqual(writtenAt('error'), ['error']);
  assert.deepEqual(writtenAt('silent'), []);
});

test('line breaks and terminal codes are escaped', () => {
  const { log, lines } = collect();
  log.warn('warning', 'one\r\ntwo\n\x1b[31mred\x1b[0m\ttab\u2028end\n\n');
  assert.deepEqual(lines, ['mcp-hotline: one\\ntwo\\n\\u001b[31mred\\u001b[0m\ttab\\u2028end\n']);
});

test('the text of a failure keeps its lines, indented, so that none looks like a line of ours', () => {
  const { log, lines } = collect();
  log.error('failed', 'build failed: tsc exited with code 2\r\na.ts(1,1): \x1b[31mno\n\nmcp-hotline: ready\n\n');
  const [, ...output] = lines.join('').split('\n');
  assert.deepEqual(output, ['  a.ts(1,1): \\u001b[31mno', '', '  mcp-hotline: ready', '']);
  const json = collect({ format: 'json' });
  json.log.error('failed', 'one\ntwo');
  assert.equal(json.lines.length, 1);
  assert.equal(JSON.parse(json.lines[0]!).text, 'one\ntwo');
});

test('whatever the text and the fields are, one event is one line', () => {
  for (const format of ['text', 'json'] as const) {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.dictionary(fc.string(), fc.anything()), (text, fields) => {
        const { log, lines } = collect({ format });
        log.info('change', text, fields);
        assert.equal(lines.length, 1);
        assert.equal(lines[0]!.indexOf('\n'), lines[0]!.length - 1);
        if (format === 'json') assert.equal(JSON.parse(lines[0]!).event, 'change');
      }),
    );
  }
});

test('fields can neither overwrite the fixed names nor lose the event', () => {
  const { log, lines } = collect({ format: 'json' });
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  log.info('ready', 'a', { event: 'closed', level: 'x', time: 0, text: 'b', error: new Error('why'), big: 10n });
  log.info('ready', 'c', { cycle });
  const [first, second] = lines.map((line) => JSON.parse(line));
  assert.deepEqual([first.event, first.level, first.text, first.error, first.big], ['ready', 'info', 'a', 'why', '10']);
  assert.equal(second.text, 'c');
});

test('colour follows the level, and only where it was asked for', () => {
  const { log, lines } = collect({ colour: true });
  log.info('ready', 'plain');
  log.error('failed', 'red');
  log.error('failed', 'one\n\ntwo');
  assert.deepEqual(lines, [
    'mcp-hotline: plain\n',
    '\x1b[31mmcp-hotline: red\x1b[0m\n',
    '\x1b[31mmcp-hotline: one\x1b[0m\n\n\x1b[31m  two\x1b[0m\n',
  ]);
});

test('colour is wanted on a terminal, never with NO_COLOR', () => {
  assert.equal(wantsColour({ isTTY: true }, {}), true);
  assert.equal(wantsColour({ isTTY: true }, { NO_COLOR: '1' }), false);
  assert.equal(wantsColour({ isTTY: true }, { NO_COLOR: '' }), true);
  assert.equal(wantsColour({ isTTY: true }, { TERM: 'dumb' }), false);
  assert.equal(wantsColour({ isTTY: false }, {}), false);
  assert.equal(wantsColour({}, {}), false);
});
