/**
 * When any client waited for answers, made from when each of them did: a server may write a file for whoever calls it.
 *
 * | of the result      | is                                                                             |
 * |--------------------|--------------------------------------------------------------------------------|
 * | open               | whether anybody waits                                                          |
 * | busySince          | the begin of the last period in which always somebody waited                   |
 * | idleSince          | the end of that period; while it goes on, the end of the one before            |
 * | activeSince        | the earliest of those who waited in that period                                |
 * | calls              | the sum; it only ever grows                                                    |
 * | newestBegan, …Ended | of the call that began last                                                   |
 *
 * With one client it is what that client's times are. Pure.
 */
import type { CallTimes } from '../../server/call-times.js';

const NO_CALLS: CallTimes = {
  open: false,
  busySince: -Infinity,
  idleSince: -Infinity,
  activeSince: -Infinity,
  calls: 0,
  newestBegan: -Infinity,
  newestEnded: -Infinity,
};

export function mergeCallTimes(all: readonly CallTimes[]): CallTimes {
  const [first = NO_CALLS, ...others] = all;
  if (others.length === 0) return first;
  const endOf = ({ open, idleSince }: CallTimes): number => (open ? Infinity : idleSince);
  const latestFirst = all.toSorted((one, other) => endOf(other) - endOf(one));
  let busySince = Infinity;
  let activeSince = Infinity;
  let lastEnd = -Infinity;
  let endBefore = -Infinity;
  for (const times of latestFirst) {
    // Nobody waited between the end of this period and the begin of those that follow.
    if (busySince !== Infinity && endOf(times) < busySince) {
      endBefore = Math.max(endBefore, endOf(times));
      continue;
    }
    busySince = Math.min(busySince, times.busySince);
    activeSince = Math.min(activeSince, times.activeSince);
    lastEnd = Math.max(lastEnd, endOf(times));
    if (times.open && times.idleSince < busySince) endBefore = Math.max(endBefore, times.idleSince);
  }
  const newest = all.reduce((one, other) => (other.newestBegan > one.newestBegan ? other : one));
  return {
    open: lastEnd === Infinity,
    busySince,
    idleSince: lastEnd === Infinity ? Math.min(endBefore, busySince) : lastEnd,
    activeSince,
    calls: all.reduce((sum, { calls }) => sum + calls, 0),
    newestBegan: newest.newestBegan,
    newestEnded: newest.newestEnded,
  };
}
