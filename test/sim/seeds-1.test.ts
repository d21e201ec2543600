// A quarter of the simulation's seeds; seeds.ts says what they are for.
import { test } from 'node:test';
import { keepsEveryPromise } from './seeds.js';

test('P1 P3 P4 P6 P8 P9 P10 P12 P13 P16 whatever client, servers, files and clock do, every promise is kept (1 to 150)', () =>
  keepsEveryPromise(0));
