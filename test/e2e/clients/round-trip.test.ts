// P21 over all clients: the built bin wraps a server in the file of each client, in that client's own form. What was
// written is read as the client reads it, started where the client starts it, and called; then it is unwrapped, and the
// bytes are compared.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { clients } from '#src/clients/table.js';
import { startDirect } from '../../support/harness.js';
import { bin } from '../../support/paths.js';
import { forms } from './forms.js';
import { machine } from './machine.js';

test('every client of the table has a form that is tested', () => {
  assert.deepEqual(
    [...new Set(forms.map(({ client }) => client))],
    clients.map(({ id }) => id),
  );
});

for (const { client, title, in: where, path, starts, text, entry, variables, options = [] } of forms) {
  test(`P21 ${client}, ${title}: wrapped, started, called, unwrapped`, async (t) => {
    const here = machine(t);
    const file = join(here[where], path);
    const before = Buffer.from(text(here));
    here.write(file, before);

    const wrapped = await here.run('wrap', '--client', client, ...options, '--yes');
    assert.equal(wrapped.code, 0, wrapped.stderr + wrapped.stdout);
    assert.match(wrapped.stdout, /^wrapped mine in /m);
    assert.doesNotMatch(wrapped.stdout, /s3cret/);

    const after = here.read(file).toString();
    const [was, is] = [entry(before.toString(), here), entry(after, here)];
    assert.deepEqual(is.rest, was.rest);
    const end = is.words.indexOf('--');
    assert.deepEqual(is.words.slice(end + 1), was.words);
    assert.deepEqual(is.words.slice(0, 2), [process.execPath, bin]);
    assert.deepEqual(is.words.slice(end - 2, end), ['--agent-tools', 'auto']);

    const known = Object.entries(variables?.(here) ?? {});
    const words = is.words.map((word) => known.reduce((now, [name, value]) => now.replaceAll(name, value), word));
    const own = is.rest['cwd'];
    const cwd = typeof own === 'string' ? join(here.project, own.replace(here.project, '')) : here[starts];
    const peer = startDirect(t, { command: words, cwd, env: here.env });
    await peer.initialize();
    const { result } = await peer.request('tools/call', { name: 'add', arguments: { a: 2, b: 3 } });
    assert.deepEqual(result?.content, [{ type: 'text', text: '5' }], peer.transcript());
    peer.end();
    await peer.exit();

    const again = await here.run('wrap', '--client', client, ...options, '--yes');
    assert.equal(again.code, 0, again.stderr);
    assert.match(again.stdout, /mine: left alone: wrapped already/);
    assert.equal(here.read(file).toString(), after);

    const unwrapped = await here.run('unwrap', '--client', client, ...options, '--yes');
    assert.equal(unwrapped.code, 0, unwrapped.stderr + unwrapped.stdout);
    assert.ok(here.read(file).equals(before), here.read(file).toString());
  });
}
