// `npm run prove apart -- --times 20 [--seed n]`: the games of apart.test.ts, so many times as many, other ones each
// time unless a seed is given.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { times: { type: 'string' }, seed: { type: 'string' } } });
const times = Number(values.times ?? 10);
const seed = values.seed ?? String(Date.now() % 1_000_000);
process.stdout.write(`${times} times as many games as in the tests, seed ${seed}\n`);
const file = fileURLToPath(new URL('apart.test.js', import.meta.url));
const child = spawn(process.execPath, ['--enable-source-maps', '--test', '--test-reporter=spec', file], {
  env: { ...process.env, APART_GAMES: String(times), PROPERTY_SEED: seed },
  stdio: 'inherit',
});
const [code] = (await once(child, 'exit')) as [number | null];
process.exitCode = code ?? 1;
