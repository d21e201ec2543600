// Equal results (a property): whatever is asked, by whatever transport and in whatever era, brings the bytes that the
// server wrote, and takes it those that the client wrote; with clients of all transports at once, under equal ids.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { jsonObject, spell } from '../../support/json-texts.js';
import { root } from '../../support/paths.js';
import { fc } from '../../support/property.js';
import { served } from './served.js';
import type { Way } from './served.js';
import { speakerOnStdio, speakersOverHttp } from './speakers.js';
import type { Said, Speaker } from './speakers.js';

/** What is asked, but for its id. Texts are JSON. */
interface Asked {
  readonly method: string;
  readonly named: string | undefined;
  /** How the id and the names are spelt. */
  readonly spelling: 'number' | 'fraction' | 'string' | 'escapes';
  /** What is sent along; without `result` and `error` the server says what it has heard of it. */
  readonly given: string;
  readonly result: string | undefined;
  readonly error: { readonly code: number; readonly text: string } | undefined;
  /** Of progress, before the answer. */
  readonly steps: readonly string[];
}

/** A line has no line end in it. */
const text = jsonObject.map((bytes) => bytes.toString().replaceAll('\n', ' '));
/** Most are short; some are longer than what a pipe or a socket takes at once. */
const padded = fc
  .tuple(text, fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(300_000) }))
  .map(([object, length]) => (length === 0 ? object : `{"of":${object},"pad":"${'x'.repeat(length)}"}`));
const codes = [-32000, -32001, -32002, -32020, -32021, -32022, -32042, -32600, -32601, -32602, -32603, 1, 0];
const asked: fc.Arbitrary<Asked> = fc
  .record({
    method: fc.constantFrom('tools/call', 'prompts/get', 'resources/read', 'completion/complete', 'vendor/what ever'),
    name: fc.oneof(
      fc.constantFrom('say', 'a b', 'é', ' x', '=?base64?eA==?='),
      fc.string({ minLength: 1, unit: 'grapheme' }),
    ),
    spelling: fc.constantFrom<Asked['spelling'][]>('number', 'fraction', 'string', 'escapes'),
    given: padded,
    outcome: fc.constantFrom('result', 'error', 'heard'),
    result: padded,
    code: fc.constantFrom(...codes),
    data: text,
    steps: fc.oneof(fc.constant([]), fc.array(text, { maxLength: 3 })),
  })
  .map(({ method, name, outcome, result, code, data, ...others }) => ({
    ...others,
    method,
    named: /^(tools\/call|prompts\/get|resources\/read)$/.test(method) ? name : undefined,
    result: outcome === 'result' ? result : undefined,
    error: outcome === 'error' ? { code, text: `{"data":${data}, "code":${code},"message":"\\u006eo"}` } : undefined,
  }));
const played = fc.array(fc.record({ asked: fc.array(asked, { minLength: 1, maxLength: 5 }), isEdited: fc.nat(7) }), {
  minLength: 1,
  maxLength: 3,
});

let count = 0;

interface Call {
  readonly asked: Asked;
  readonly said: Said;
  readonly spelt: string;
}

function callOf(one: Asked): Call {
  const number = ++count;
  const { method, named, spelling, given, result, error, steps } = one;
  const isNumber = spelling === 'number' || spelling === 'fraction';
  const id = isNumber ? number : `call ${number}`;
  const spelt = isNumber
    ? `${number}${spelling === 'fraction' ? '.0' : ''}`
    : spell(String(id), spelling === 'escapes');
  const told = JSON.stringify({ steps, result, error: error?.text });
  const token = steps.length === 0 ? '' : `"progressToken":${spelt},`;
  const member = method === 'resources/read' ? 'uri' : 'name';
  const name = named === undefined ? '' : `,"${member}":${spell(named, spelling === 'escapes')}`;
  const saying = (meta: string): string =>
    `{"jsonrpc":"2.0","id":${spelt},"method":"${method}","params":{"_meta":{${token}"test/parrot":${told}${meta}}${name},"arguments":${given}}}`;
  return { asked: one, spelt, said: { id, method, named, text: saying } };
}

function expectedOf(
  { asked: { steps, result, error, given }, spelt }: Call,
  { isHttp, isModern, kind }: Speaker,
): object {
  // A carriage return is white space in JSON, and a line's end in a body and in an event.
  const passed = (line: string): string => (isHttp ? line.replaceAll('\r', ' ') : line);
  const progress = steps.map(
    (step, at) =>
      `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${spelt},"progress":${at},"of":${step}}}`,
  );
  const heard = `{"heard":${JSON.stringify(passed(given))}}`;
  const outcome = error === undefined ? `"result":${result ?? heard}` : `"error":${error.text}`;
  const lines = [...progress, `{"jsonrpc":"2.0","id":${spelt},${outcome}}`].map(passed);
  if (!isHttp || kind === 'sse') return { lines, status: undefined };
  const isFirst = isModern && steps.length === 0;
  const code = error?.code ?? 0;
  const status = !isFirst ? 200 : code === -32601 ? 404 : code <= -32020 && code >= -32022 ? 400 : 200;
  return { lines, status };
}

interface Place {
  readonly way: Way;
  readonly stdio?: 'legacy' | 'modern';
  readonly noReload?: boolean;
}

const places: readonly Place[] = [
  { way: 'serve' },
  { way: 'share' },
  { way: 'beside', stdio: 'legacy' },
  { way: 'beside', stdio: 'modern' },
  { way: 'share beside', stdio: 'legacy' },
  { way: 'share beside', stdio: 'modern' },
  { way: 'beside', stdio: 'legacy', noReload: true },
];

const server = pathToFileURL(`${root}/test/e2e/http/parrot-server.mjs`).href;

async function speakersAt(t: TestContext, { way, stdio, noReload = false }: Place) {
  const files = { 'server.mjs': `import ${JSON.stringify(server)};\n`, 'src/version.mjs': '// 0\n' };
  const proxy = await served(t, files, { way, noReload, ...(stdio === 'modern' && { initialize: false }) });
  const overHttp = await speakersOverHttp(t, proxy);
  return { proxy, speakers: stdio === undefined ? overHttp : [...overHttp, speakerOnStdio(proxy, stdio === 'modern')] };
}

describe('equal results', { concurrency: 2 }, () => {
  for (const place of places) {
    const { way, stdio, noReload } = place;
    const where = `${way}${stdio === undefined ? '' : `, ${stdio} on stdio`}${noReload ? ', --no-reload' : ''}`;
    const title = `P2 P16 P17 random calls bring the same bytes by every transport, under equal ids at once (${where})`;
    test(title, { timeout: 300_000 }, async (t) => {
      const { proxy, speakers } = await speakersAt(t, place);
      let edits = 0;
      const play = fc.asyncProperty(played, async (rounds) => {
        for (const { asked: all, isEdited } of rounds) {
          const calls = all.map(callOf);
          const answers = Promise.all(
            speakers.flatMap((speaker) =>
              calls.map(async (call) => ({ speaker, call, heard: await speaker.say(call.said) })),
            ),
          );
          // Some of them are asked before it, some are held, and it changes nothing.
          if (isEdited === 0) proxy.files.write('src/version.mjs', `// ${++edits}\n`);
          for (const { speaker, call, heard } of await answers)
            assert.deepEqual(heard, expectedOf(call, speaker), `${speaker.kind}: ${call.asked.method}`);
        }
      });
      // Not made smaller: each try may have to wait for an answer that does not come.
      await fc.assert(play, { numRuns: 25, endOnFailure: true });
      if (noReload !== true) assert.ok(proxy.logged('reloaded').length > 0, proxy.transcript());
    });
  }
});
