/**
 * Compares tokens in a time that tells nothing of where they differ, nor of their lengths: of both a digest is made
 * first. Not pure, and so beside guard.ts, which is given it.
 */
import { createHash, timingSafeEqual } from 'node:crypto';

export function isSameToken(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
