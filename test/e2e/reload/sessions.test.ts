// Three sessions on one project, in this process: they share its files and builds, and nothing else. What holds at the
// end of each test (nothing of one reaches another, no process is left) is looked at by support/sessions.ts. Loops of
// lineages that write what all watch are lineages.test.ts's.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { project } from '../../support/harness.js';
import { failureSaid } from '../../support/message.js';
import type { Message } from '../../support/message.js';
import type { Project } from '../../support/project.js';
import { behaviour, built, gated, reloadable, script, scripted, type Behaviour } from '../../support/reloadable.js';
import { openSessions, type Session, type Sessions, type SessionOptions } from '../../support/sessions.js';
import { settled, until } from '../../support/until.js';

const NAMES = ['ada', 'bob', 'cyd'];
const restarting = { name: 'server', watch: ['src'], then: 'restart' } as const;
const building = { ...restarting, build: `${process.execPath} build.mjs` };
const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
/** What may be under way in all the buffers between a server and a client that reads nothing, with room to spare. */
const underWay = 32 * mebibyte;
/** A paused server is read a little all the same, up to 16 MiB in all, since it may be about to end. */
const mostWaiting = 18 * mebibyte;

interface Opened {
  readonly files: Project;
  readonly sessions: Sessions;
  readonly clients: readonly Session[];
}

async function open(t: TestContext, given: Record<string, string>, options: SessionOptions): Promise<Opened> {
  const files = project(t, given);
  const sessions = openSessions(t, files, options);
  const clients = await Promise.all(NAMES.map((name) => sessions.open(name)));
  return { files, sessions, clients };
}

const builtFiles = (says: Behaviour | string): Record<string, string> => ({ ...reloadable(says), ...built().files });

/** The same for each of them, at the same time. */
function all<T>(clients: readonly Session[], act: (client: Session) => Promise<T>): Promise<T[]> {
  return Promise.all(clients.map(act));
}

const each = <T>(value: T): T[] => NAMES.map(() => value);

const buildsOf = (files: Project): number =>
  existsSync(files.path('builds.txt')) ? readFileSync(files.path('builds.txt'), 'utf8').split('\n').length - 1 : 0;

/** The request under this id, which all of them use for their own. */
function asked(client: Session, id: string | number, name: string, given: object, meta?: object): Promise<Message> {
  return client.request('tools/call', { name, arguments: given, ...(meta && { _meta: meta }) }, { id });
}

const textOf = ({ result }: Message): string => String(result?.content[0].text);

/** The process that answers. */
async function processOf(client: Session): Promise<number> {
  return (JSON.parse(await client.call('generation')) as { pid: number }).pid;
}

for (const shared of [false, true]) {
  const served = shared ? 'by one server' : 'by servers of their own';

  test(`P17 P9 an edit: three sessions, ${served}, get the new answer, and list_changed if a list differs, of one build`, async (t) => {
    const { files, sessions, clients } = await open(t, builtFiles('one'), { rules: [building], shared });
    const listsOf = (client: Session): string[] => client.notifications().filter((one) => one.includes('list_changed'));
    assert.deepEqual(await all(clients, (client) => client.call()), each('one'));
    assert.equal(buildsOf(files), 1, sessions.transcript());
    await all(clients, (client) => client.request('tools/list'));

    files.write('src/behaviour.mjs', behaviour('two'));
    assert.deepEqual(await all(clients, (client) => client.call()), each('two'), sessions.transcript());
    assert.equal(buildsOf(files), 2, sessions.transcript());
    assert.deepEqual(clients.map(listsOf), each([]), sessions.transcript());

    const tools = ['answer', 'other'].map((name) => ({ name, inputSchema: { type: 'object' } }));
    files.write('src/behaviour.mjs', behaviour({ answer: 'three', lists: { tools } }));
    assert.deepEqual(await all(clients, (client) => client.call()), each('three'), sessions.transcript());
    assert.equal(buildsOf(files), 3, sessions.transcript());
    await all(clients, (client) =>
      client.waitFor(({ method = '' }) => method.includes('list_changed'), 'list_changed'),
    );
    assert.deepEqual(await all(clients, (client) => client.call('other')), each('three'), sessions.transcript());
    assert.deepEqual(clients.map(listsOf), each(['notifications/tools/list_changed']), sessions.transcript());
  });

  test(`P17 P7 a failing build: three sessions, ${served}, are told in their calls, nobody restarts, and a save mends it for all`, async (t) => {
    const { files, sessions, clients } = await open(t, builtFiles('one'), { rules: [building], shared });
    const before = await all(clients, processOf);
    const processes = sessions.processes();

    files.write('src/behaviour.mjs', behaviour('wrong'));
    const failures = await all(clients, (client) => client.request('tools/call', { name: 'answer' }));
    for (const failure of failures) assert.match(failureSaid(failure), /this is wrong/, sessions.transcript());
    assert.equal(buildsOf(files), 2, sessions.transcript());
    // What is no tool call goes to the server that was there before, and whoever listens is told once.
    for (const client of clients) {
      const { result } = await client.request('prompts/get', { name: 'p' });
      assert.equal(result.messages[0].content.text, 'one', sessions.transcript());
      assert.equal(client.log.filter((line) => line.includes('build failed')).length, 1, sessions.transcript());
    }
    assert.equal(buildsOf(files), 2, sessions.transcript());
    assert.deepEqual(sessions.processes(), processes, sessions.transcript());

    files.write('src/behaviour.mjs', behaviour('mended'));
    assert.deepEqual(await all(clients, (client) => client.call()), each('mended'), sessions.transcript());
    assert.equal(buildsOf(files), 3, sessions.transcript());
    const after = await all(clients, processOf);
    assert.ok(!after.some((pid) => before.includes(pid)), sessions.transcript());
  });

  test(`P17 P12 one that reads nothing while its server floods it: the others, ${served}, go on, and it gets all in order later`, async (t) => {
    const files = scripted(FLOODING('one'));
    // A server that others use goes on writing, and only so much may wait for one that reads nothing.
    const total = shared ? mebibyte : 2 * underWay;
    const size = 64 * kibibyte;
    const options = { rules: [restarting], shared, config: { drain: 0 } };
    const { files: here, sessions, clients } = await open(t, files, options);
    const [silent, ...others] = clients as [Session, ...Session[]];
    const note = here.path('flooded');
    const taken = (): number => (existsSync(note) ? Number(readFileSync(note, 'utf8')) : 0);

    await silent.call('answer');
    silent.output.pause();
    const done = asked(silent, 'flood', 'flood', { total, size, note }, { progressToken: 'flood' });
    await until(() => taken() > 0, 'a flood', sessions);
    for (let i = 0; i < 50; i++)
      assert.deepEqual(await all(others, (client) => client.call()), ['one', 'one'], sessions.transcript());
    // Nor does it keep them from what a save brings about.
    here.write('src/script.mjs', script(FLOODING('two')));
    const late = silent.request('tools/call', { name: 'answer' });
    assert.deepEqual(await all(others, (client) => client.call()), ['two', 'two'], sessions.transcript());

    const left = await settled(taken);
    const waits = silent.output.writableLength + silent.output.readableLength;
    assert.ok(waits < mostWaiting, `${waits} bytes wait for a client that reads nothing`);
    if (!shared) assert.ok(left < underWay, `the server got rid of ${left} bytes that nobody read`);

    silent.output.resume();
    assert.equal(textOf(await done), 'flooded', 'what the call was answered');
    assert.equal(textOf(await late), 'two', sessions.transcript());
    const numbers = silent.messages
      .map(({ message }) => message.params?.progress as number | undefined)
      .filter((number) => number !== undefined);
    assert.deepEqual(numbers, [...Array(total / size).keys()]);
    const answer = silent.messages.findIndex(({ message }) => message.id === 'flood');
    const last = silent.messages.findLastIndex(({ message }) => message.params?.progress !== undefined);
    assert.ok(last < answer, 'the answer comes after what was said before it');
    assert.ok(!others.some((client) => client.messages.some(({ raw }) => raw.length > size)), 'the flood is for one');
  });

  test(`P17 P10 equal ids, progress tokens and tools in three sessions, ${served}: each gets its own`, async (t) => {
    const { files, sessions, clients } = await open(t, scripted(ECHOING), { rules: [restarting], shared });
    const echo = (client: Session, id: number, gate?: string): Promise<Message> => {
      const given = { who: client.name, ...(gate !== undefined && { until: files.path(gate) }) };
      return asked(client, id, 'echo', given, { progressToken: 'token' });
    };
    const progressOf = (client: Session): string[] =>
      client.messages.filter(({ message }) => message.method === 'notifications/progress').map(whoIsMeant);

    // While their calls run, and when they end.
    const answers = all(clients, (client) => echo(client, 7, 'go'));
    await all(clients, (client) => client.waitFor(({ method }) => method === 'notifications/progress', 'progress'));
    files.write('go', '');
    assert.deepEqual((await answers).map(textOf), NAMES.map(asWritten), sessions.transcript());
    assert.deepEqual(
      clients.map(progressOf),
      NAMES.map((name) => [name]),
      sessions.transcript(),
    );

    // One gives its call up, and the others' calls of that id run on.
    const again = clients.map((client) => echo(client, 8, 'go on'));
    // That one is answered by nobody, and fails when its client is closed.
    again[0]!.catch(() => {});
    await all(clients, (client) => client.waitFor(() => progressOf(client).length === 2, 'more progress'));
    await clients[0]!.notify('notifications/cancelled', { requestId: 8 });
    await clients[0]!.call('answer');
    files.write('go on', '');
    assert.deepEqual((await Promise.all(again.slice(1))).map(textOf), NAMES.slice(1).map(asWritten));

    // Held during a reload, and answered by the next generation.
    const source = 'await appears("started");\n' + ECHOING;
    files.write('src/script.mjs', script(source));
    const held = all(clients, (client) => echo(client, 9));
    const questions = all(clients, (client) => client.request('ping', {}, { id: 10 }));
    files.write('started', '');
    assert.deepEqual((await held).map(textOf), NAMES.map(asWritten), sessions.transcript());
    assert.deepEqual(
      (await questions).map(({ result }) => result),
      each({}),
      sessions.transcript(),
    );
  });

  test(`P17 P6 P13 one leaves in the middle of a build, another comes in: all, ${served}, settle on one build`, async (t) => {
    const { files, sessions, clients } = await open(t, builtFiles('one'), { rules: [building], shared });
    const [leaving, ...others] = clients as [Session, ...Session[]];
    files.write('hold-build', '');
    files.write('src/behaviour.mjs', behaviour('two'));
    const answers = all(others, (client) => client.call());
    const lost = leaving.request('tools/call', { name: 'answer' });
    lost.catch(() => {});
    await until(() => buildsOf(files) === 2, 'the second build', sessions);
    await leaving.close();
    const coming = sessions.open('dot');
    // It has been looked at: what comes next is decided by the build.
    await until(() => sessions.log.some((line) => line.startsWith('dot ')) || shared, 'the new one', sessions);
    files.remove('hold-build');
    assert.deepEqual(await answers, ['two', 'two'], sessions.transcript());
    const settledOnes = [...others, await coming];
    assert.deepEqual(await all(settledOnes, (client) => client.call()), each('two'), sessions.transcript());
    assert.equal(buildsOf(files), 2, sessions.transcript());
    await untilServers(sessions, shared ? 1 : settledOnes.length);
  });

  test(`P17 P6 P13 one leaves in the middle of a start, another comes in: all, ${served}, settle`, async (t) => {
    const given = { ...reloadable('one'), ...gated().files };
    const { files, sessions, clients } = await open(t, given, { rules: [restarting], shared });
    const [leaving, ...others] = clients as [Session, ...Session[]];
    files.write('hold-start', '');
    files.write('src/behaviour.mjs', behaviour('two'));
    const answers = all(others, (client) => client.call());
    await until(
      () => clients.every((client) => /generation \d+ waits/.test(client.stderr())),
      'their starts',
      sessions,
    );
    await leaving.close();
    const coming = sessions.open('dot');
    files.remove('hold-start');
    assert.deepEqual(await answers, ['two', 'two'], sessions.transcript());
    const settledOnes = [...others, await coming];
    assert.deepEqual(await all(settledOnes, (client) => client.call()), each('two'), sessions.transcript());
    await untilServers(sessions, shared ? 1 : settledOnes.length);
  });

  test(`P17 P6 P13 all leave in the middle of a build, and one that comes then, served as the others were, ${served}, gets the newest`, async (t) => {
    const { files, sessions, clients } = await open(t, builtFiles('one'), { rules: [building], shared });
    files.write('hold-build', '');
    files.write('src/behaviour.mjs', behaviour('two'));
    await until(() => buildsOf(files) === 2, 'the second build', sessions);
    await all(clients, (client) => client.close());
    assert.deepEqual(sessions.processes(), [], sessions.transcript());
    files.remove('hold-build');
    const late = await sessions.open('dot');
    assert.equal(await late.call(), 'two', sessions.transcript());
    files.write('src/behaviour.mjs', behaviour('three'));
    assert.equal(await late.call(), 'three', sessions.transcript());
  });

  test(`P17 P8 P15 a crash in one of three sessions, ${served}, concerns only the calls of that server`, async (t) => {
    const annotations = { progress: { readOnlyHint: true } };
    const given = builtFiles({ answer: 'one', annotations });
    const { files, sessions, clients } = await open(t, given, { rules: [building], shared });
    const crashing = clients[1]!;
    const isConcerned = (client: Session): boolean => shared || client === crashing;
    const before = await all(clients, processOf);
    // A tool is known as one that may run twice when its list has been told.
    await all(clients, (client) => client.request('tools/list'));
    const go = files.path('go');
    const runsOf = ({ name }: Session): string[] =>
      existsSync(files.path(`effect-${name}`))
        ? readFileSync(files.path(`effect-${name}`), 'utf8')
            .trim()
            .split('\n')
        : [];
    const effects = clients.map((client) =>
      asked(client, 1, 'effect', { file: files.path(`effect-${client.name}`), until: go }),
    );
    const safe = clients.map((client) => asked(client, 2, 'progress', { count: 1, until: go }, { progressToken: 3 }));
    await until(() => clients.every((client) => runsOf(client).length === 1), 'the effects', sessions);
    await all(clients, (client) => client.waitFor(({ method }) => method === 'notifications/progress', 'progress'));

    const death = failureSaid(await asked(crashing, 4, 'die', { code: 3 }));
    assert.doesNotMatch(death, /^no failure/, sessions.transcript());
    for (const [at, client] of clients.entries()) {
      if (!isConcerned(client)) continue;
      // It may have done something already: it is not run again, and who asked is told.
      assert.doesNotMatch(failureSaid(await effects[at]!), /^no failure/, sessions.transcript());
      assert.equal(await client.call(), 'one', sessions.transcript());
      assert.notEqual(await processOf(client), before[at], sessions.transcript());
    }
    files.write('go', '');
    for (const [at, client] of clients.entries()) {
      const generation = isConcerned(client) ? 2 : 1;
      assert.equal(textOf(await safe[at]!), `1 steps in generation ${generation}`, sessions.transcript());
      assert.deepEqual(runsOf(client), ['1'], sessions.transcript());
      if (isConcerned(client)) continue;
      assert.equal(textOf(await effects[at]!), '1', sessions.transcript());
      assert.equal(await processOf(client), before[at], sessions.transcript());
      assert.ok(!client.log.some((line) => line.includes('exited')), sessions.transcript());
    }
    assert.equal(buildsOf(files), 1, 'a crash builds nothing');
    files.write('src/behaviour.mjs', behaviour('two'));
    assert.deepEqual(await all(clients, (client) => client.call()), each('two'), sessions.transcript());
  });

  test(`P17 P10 three sessions, ${served}, are asked under one id: each server gets the answer of its own client`, async (t) => {
    const { sessions, clients } = await open(t, scripted(ECHOING), { rules: [restarting], shared });
    for (const client of clients) client.answer('roots/list', () => ({ roots: [{ uri: `file:///${client.name}` }] }));
    // Of several that have a call running, a server that they share can't say whom it means.
    const groups = shared ? clients.map((client) => [client]) : [clients];
    for (let round = 0; round < 3; round++) {
      for (const group of groups) {
        const answers = await all(group, (client) => client.call('question'));
        assert.deepEqual(
          answers.map((uri) => uri.slice('file:///'.length)),
          group.map(({ name }) => name),
          sessions.transcript(),
        );
      }
    }
  });
}

const asWritten = (name: string): string => JSON.stringify({ who: name });

const whoIsMeant = ({ message }: { readonly message: Message }): string =>
  (JSON.parse(message.params.message as string) as { who: string }).who;

/** The ones of generations before have gone. */
async function untilServers(sessions: Sessions, count: number): Promise<void> {
  await until(() => sessions.processes().length === count, `${count} servers`, sessions);
}

const ECHOING = `
  export const tools = {
    answer: () => 'one',
    echo: async ({ who, until }, progressToken) => {
      const message = JSON.stringify({ who });
      send({ method: 'notifications/progress', params: { progressToken, progress: 1, message } });
      if (until !== undefined) await appears(until);
      return message;
    },
    question: async () => (await ask(1, 'roots/list')).roots[0].uri,
  };`;

/** Tells in a file how many bytes have left the server. */
const FLOODING = (answer: string): string => `
  import { once } from 'node:events';
  import { writeFileSync } from 'node:fs';
  const flood = async ({ total, size, note }, progressToken) => {
    let sent = 0;
    for (let at = 0; at < total / size; at++) {
      const message = ''.padEnd(size, 'x');
      send({ method: 'notifications/progress', params: { progressToken, progress: at, message } });
      sent += size;
      writeFileSync(note, String(sent - process.stdout.writableLength));
      if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
    }
    return 'flooded';
  };
  export const tools = { answer: () => ${JSON.stringify(answer)}, flood };`;
