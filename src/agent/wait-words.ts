/**
 * Why a request waits with the proxy, in the few words that a client shows beside its progress. Who waits, and when
 * that is said, others know.
 */

export const building = (seconds: number): string => `building, ${seconds} s`;
export const startingGeneration = (number: number): string => `starting generation ${number}`;
export const stoppingGeneration = (number: number): string => `stopping generation ${number}`;
export const serverRereadsFiles = (): string => 'the server reads its files again';
export const restartsAfterCrash = (): string => 'the server has crashed and is about to be started again';
export const checkingFiles = (): string => 'checking whether a watched file has changed';
export const waitsForTurn = (limit: number | undefined): string =>
  `waiting for its turn${limit === undefined ? '' : ` (--concurrency ${limit})`}`;
