// The contents by themselves: marks and fingerprints against a model that keeps whole copies, and the fingerprint
// against its definition.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { fc } from '../support/property.js';
import { createContentIndex } from '#src/watch/content-index.js';
import { namedKey, type FileEntry } from '#src/watch/entry.js';

const entry = (digest: string, rules: readonly string[] = ['r']): FileEntry => ({
  digest,
  rules,
  changed: 1,
  size: 1,
  ctime: 1,
  ino: 1,
});
const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

test('a mark tells exactly what differs from the moment it was taken, whatever came in between', () => {
  const path = fc.constantFrom('a', 'b', 'c', 'd/e');
  const step = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ kind: fc.constant('set' as const), path, text: fc.constantFrom('1', '2', '3') }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), path }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('mark' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('release' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('fingerprint' as const) }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const contents = createContentIndex();
      contents.endBaseline();
      const model = new Map<string, string>();
      const marks: { mark: ReturnType<typeof contents.mark>; copy: Map<string, string> }[] = [];
      for (const each of steps) {
        if (each.kind === 'set') {
          contents.set(each.path, entry(each.text));
          model.set(each.path, each.text);
        } else if (each.kind === 'delete') {
          contents.delete(each.path);
          model.delete(each.path);
        } else if (each.kind === 'mark') {
          marks.push({ mark: contents.mark(), copy: new Map(model) });
        } else if (each.kind === 'release') {
          const oldest = marks.shift();
          if (oldest) contents.release(oldest.mark);
        } else {
          const lines = [...model].map(([name, digest]) => `${name}\0${digest}\n`).sort();
          assert.equal(contents.fingerprint('r'), sha(lines.join('')));
        }
        for (const { mark, copy } of marks) {
          const expected = [...new Set([...copy.keys(), ...model.keys()])]
            .filter((name) => copy.get(name) !== model.get(name))
            .sort()
            .map((name) => `${!copy.has(name) ? 'added' : !model.has(name) ? 'removed' : 'changed'} ${name}`);
          assert.deepEqual(
            contents.changedSince(mark).map(({ kind, path: name }) => `${kind} ${name}`),
            expected,
          );
        }
      }
    }),
  );
});

test('a fingerprint is SHA-256 over the sorted paths and digests of the rule, and says nothing of when', () => {
  const one = createContentIndex();
  one.set('b', entry('2'));
  one.set('a', entry('1', ['r', 's']));
  one.set('x', entry('9', ['s']));
  assert.equal(one.fingerprint('r'), sha('a\x001\nb\x002\n'));
  assert.equal(one.fingerprint('s'), sha('a\x001\nx\x009\n'));
  assert.equal(one.fingerprint('none'), sha(''));
  one.set('b', { ...entry('2'), ctime: 77, size: 3, ino: 5 });
  assert.equal(one.fingerprint('r'), sha('a\x001\nb\x002\n'));
  one.delete('b');
  one.set('b', entry('3'));
  assert.equal(one.fingerprint('r'), sha('a\x001\nb\x003\n'));
});

test('a file that is named and also lies in a watched directory counts once', () => {
  const contents = createContentIndex();
  contents.set('a', entry('1', ['tree']));
  contents.set(namedKey('a'), entry('1', ['named']));
  contents.set(namedKey('b'), entry('2', ['named']));
  contents.endBaseline();
  const mark = contents.mark();
  assert.equal(contents.fingerprint('named'), sha('a\x001\nb\x002\n'));
  contents.set('a', entry('5', ['tree']));
  contents.set(namedKey('a'), entry('5', ['named']));
  assert.deepEqual(contents.changedSince(mark), [{ path: 'a', rules: ['tree', 'named'], kind: 'changed' }]);
});

test('until it is sealed, what is set is the baseline; an unknown baseline counts as changed', () => {
  const contents = createContentIndex();
  const opening = contents.mark();
  contents.set('a', entry('1'));
  contents.set('b', entry('1'));
  contents.setUnknownBaseline('b', ['r']);
  contents.endBaseline();
  const later = contents.mark();
  assert.deepEqual(contents.changedSince(opening), [{ path: 'b', rules: ['r'], kind: 'changed' }]);
  assert.deepEqual(contents.changedSince(later), []);
});

test('a mark like another tells what differs from the same moment, but not what stirred before it', () => {
  const contents = createContentIndex();
  for (const name of ['a', 'b']) contents.set(name, entry('1'));
  contents.endBaseline();
  const first = contents.mark();
  contents.set('a', entry('2'));
  contents.set('b', { ...entry('1'), changed: 2 });
  const second = contents.mark(first);
  const paths = (changes: readonly { path: string }[]): string[] => changes.map(({ path }) => path);
  assert.deepEqual(paths(contents.changedSince(second)), ['a']);
  assert.deepEqual(paths(contents.touchedSince(first)), ['a', 'b']);
  assert.deepEqual(paths(contents.touchedSince(second)), ['a']);
  contents.set('b', { ...entry('1'), changed: 3 });
  assert.deepEqual(paths(contents.touchedSince(second)), ['a', 'b']);
  contents.set('a', entry('1'));
  assert.deepEqual(paths(contents.changedSince(second)), []);
});

test('what one mark accepts is accepted by it alone, and only what has changed since the other mark', () => {
  const contents = createContentIndex();
  for (const path of ['a', 'b', 'c']) contents.set(path, entry('1'));
  contents.endBaseline();
  const [mark, other] = [contents.mark(), contents.mark()];
  contents.set('a', entry('2'));
  const since = contents.mark();
  contents.set('a', entry('3'));
  contents.set('b', entry('2'));
  contents.delete('c');
  const changed = (one: typeof mark) => contents.changedSince(one).map(({ path }) => path);
  for (const path of ['a', 'b', 'c']) contents.acceptFor(mark, path, since);
  assert.deepEqual([changed(mark), changed(other)], [['a'], ['a', 'b', 'c']]);
  contents.acceptFor(mark, 'a', undefined);
  assert.deepEqual([changed(mark), changed(since)], [[], ['a', 'b', 'c']]);
  contents.set('b', entry('1'));
  contents.acceptFor(other, 'b', since);
  assert.deepEqual([changed(mark), changed(other)], [['b'], ['a', 'c']]);
});
