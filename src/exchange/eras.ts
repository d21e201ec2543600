/**
 * What a refusal says about the era of a server. A modern one answers `server/discover`, or refuses it with a code of
 * its own; any other error is that of a legacy server. A modern one refuses `initialize`. What follows from it is
 * decided in reload/.
 */
import { readAt } from '../wire/edit.js';
import { METHOD_NOT_FOUND } from '../wire/json-rpc.js';
import type { Desk } from './desk.js';

/** Header mismatch, missing client capability, unsupported protocol version. */
const MODERN_CODES: ReadonlySet<unknown> = new Set([-32020, -32021, -32022]);

/**
 * A server answered `server/discover` with an error: if that is one of the legacy era, it was the last time that we
 * took it for modern.
 */
export function noteRefusedDiscover(desk: Desk, line: Buffer): void {
  // A server of both eras refuses it as well once the session is a legacy one.
  if (desk.session.era !== 'legacy' && !isModernError(line)) desk.ports.refusedDiscover();
}

export function isModernError(line: Buffer): boolean {
  return MODERN_CODES.has(codeOf(line));
}

/** Whether the one that refuses `initialize` like this seems to be a modern server. */
export function refusesLegacy(line: Buffer): boolean {
  return isModernError(line) || isMethodMissing(line);
}

export function isMethodMissing(line: Buffer): boolean {
  return codeOf(line) === METHOD_NOT_FOUND;
}

function codeOf(line: Buffer): unknown {
  return readAt(line, ['error', 'code']);
}
