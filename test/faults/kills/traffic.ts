// A client that never stops asking, and what it is owed however many processes die: each request answered once, by code
// that is no older than the last save before it, or failed with words; and nothing done twice that was asked once (P1,
// P4, P8).

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Started } from '../../support/harness.js';
import type { Message } from '../../support/message.js';
import type { Project } from '../../support/project.js';
import type { Random } from '../../support/random.js';

export interface Counts {
  asked: number;
  answered: number;
  /** Answers that say in words why there is none. */
  told: number;
  /** Asked of a proxy that was killed. */
  lost: number;
}

/** What may be said instead of an answer: nothing was executed, or it may have been. */
const words =
  /may or may not have taken effect|not executed|Fix the (error|cause)|send the request again|reads again|Send it again/;

interface Asking {
  readonly proxy: Started;
  readonly files: Project;
  readonly random: Random;
  /** The number of the last save. */
  saved(): number;
  readonly counts: Counts;
}

let asked = 0;

/**
 * Asks until told to stop; resolves when everything has been answered. A proxy that was killed owes nothing any more.
 */
export async function traffic(asking: Asking, over: AbortSignal, killed: () => boolean): Promise<void> {
  const stream = async () => {
    while (!over.aborted) {
      try {
        await one(asking);
      } catch (error) {
        if (!killed()) throw error;
        asking.counts.lost++;
        return;
      }
      await delay(asking.random.below(20));
    }
  };
  await Promise.all([stream(), stream(), stream()]);
  assert.deepEqual(asking.proxy.duplicates.map(String), [], `answered twice\n${asking.proxy.transcript()}`);
}

async function one({ proxy, random, saved, counts }: Asking): Promise<void> {
  const id = `call-${process.pid}-${++asked}`;
  const since = saved();
  counts.asked++;
  const [method, params] = random.pick<[string, object?]>([
    ['tools/call', { name: 'version' }],
    ['tools/call', { name: 'note', arguments: { id } }],
    ['tools/call', { name: 'slow', arguments: { id, ms: random.below(300) } }],
    ['resources/read', { uri: 'a:b' }],
    ['tools/list', {}],
    ['ping'],
  ]);
  const answer = await proxy.request(method, params, { id });
  const told = wordsOf(answer);
  if (told !== undefined) {
    counts.told++;
    assert.match(told, words, proxy.transcript());
    return;
  }
  counts.answered++;
  const text = answer.result.content?.[0].text ?? answer.result.contents?.[0].text;
  if (text === undefined) return;
  const version = Number(text);
  // While a failure stands, all but tools is served by the code before it.
  if (method !== 'tools/call' && version < since) return;
  assert.ok(version >= since && version <= saved(), `asked at ${since}, answered ${text}\n${proxy.transcript()}`);
}

/** What an answer says that is none. */
export function wordsOf({ result, error }: Message): string | undefined {
  if (error !== undefined) return error.message;
  return result.isError === true ? (result.content[0].text as string) : undefined;
}

/** What was asked once is done once at most, by whichever generation (P8). */
export function noneTwice(files: Project): void {
  const notes = existsSync(files.path('notes')) ? readFileSync(files.path('notes'), 'utf8').split('\n') : [''];
  const ids = notes.slice(0, -1);
  const twice = ids.filter((id, at) => ids.indexOf(id) !== at);
  assert.deepEqual(twice, [], 'done twice');
}
