// `npm run prove faults -- --rounds N [--seed N]`: the random kills for as long as one likes, with a line of progress
// now and then and a table of what was hit. The suite runs a few of them (kills.test.ts).

import { parseArgs } from 'node:util';
import { killRounds, type Tally } from './kills/rounds.js';

const { values } = parseArgs({ options: { rounds: { type: 'string' }, seed: { type: 'string' } } });
const kills = Number(values.rounds ?? 100);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
print(`${kills} kills, seed ${seed}`);
const began = performance.now();
let shown = began;
const tally = await killRounds({ kills, seed, progress });
for (const [hit, count] of [...tally.hits].sort(([a], [b]) => (a < b ? -1 : 1))) {
  print(`${String(count).padStart(6)}  ${hit}`);
}
print(`${summary(tally)}; all as promised`);

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function progress(now: Tally): void {
  if (performance.now() - shown < 10_000) return;
  shown = performance.now();
  const left = ((shown - began) / now.kills) * (kills - now.kills);
  print(`${summary(now)}; about ${Math.round(left / 1000)} s to go`);
}

function summary({ kills: done, proxies, asked, answered, told, lost }: Tally): string {
  const seconds = Math.round((performance.now() - began) / 1000);
  const requests = `${asked} requests: ${answered} answered, ${told} told why not, ${lost} lost with their proxy`;
  return `${done} kills, ${proxies} proxies, ${requests}; ${seconds} s`;
}
