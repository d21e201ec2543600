// What a test undoes when it ends: the last thing done is undone first, so that a server has ended before its directory
// is removed, and one failure never keeps the rest from being undone (the runner's own hooks do neither).

import type { TestContext } from 'node:test';

type Undo = () => unknown;

const stacks = new WeakMap<TestContext, Undo[]>();

export function cleanup(t: TestContext, undo: Undo): void {
  const known = stacks.get(t);
  if (known !== undefined) {
    known.push(undo);
    return;
  }
  const stack = [undo];
  stacks.set(t, stack);
  t.after(() => unwind(stack));
}

async function unwind(stack: Undo[]): Promise<void> {
  const errors: unknown[] = [];
  for (let undo = stack.pop(); undo !== undefined; undo = stack.pop()) {
    try {
      await undo();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join('\n'));
}
