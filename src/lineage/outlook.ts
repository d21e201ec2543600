/**
 * What follows from a failure, as far as the state machine's transition tells: who serves, who is answered, when it is
 * tried again. What is said about it is agent/failure-log.ts's. Pure.
 */
import type { Outlook } from '../agent/failure-log.js';
import { isAtRest, servingOf } from './state.js';
import type { Step } from './states.js';

export function outlookOf([state, effects]: Step): Outlook {
  const wait = effects.find((effect) => effect.do === 'wait');
  const serving = servingOf(state);
  return {
    ...(serving === undefined ? {} : { serving }),
    answered: effects.some(
      (effect) => (effect.do === 'release' || effect.do === 'tell') && effect.failure !== undefined,
    ),
    ...(wait === undefined ? {} : { nextTryMs: wait.delay }),
    underWay: !isAtRest(state),
  };
}
