/**
 * fast-check with one seed for the whole suite, so that a run of the same code has the same outcome everywhere;
 * `PROPERTY_SEED=n` looks at other cases, `PROPERTY_SEED=random` at new ones each time. Every property test takes it
 * from here.
 */
import fc from 'fast-check';

const given = process.env['PROPERTY_SEED'] ?? '20261116';
if (given !== 'random') {
  const seed = Number(given);
  if (!Number.isInteger(seed)) throw new Error(`PROPERTY_SEED is ${given}, expected a whole number or "random"`);
  fc.configureGlobal({ seed });
}

export { fc };
