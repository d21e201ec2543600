/**
 * Classifies the output of a server that did not start beside another one: a resource is in use, or the code is wrong.
 * Pure. `state.ts` decides what follows.
 */

/** A port, a database or a profile is in use by another process. */
const BUSY = new RegExp(
  [
    'EADDRINUSE',
    'address already in use',
    'only one usage of each socket address', // Windows
    'database is locked', // SQLite
    'SQLITE_BUSY',
    'could not set lock on file', // DuckDB
    'conflicting lock is held',
    'LEVEL_LOCKED', // classic-level
    'lock [^\\n]*LOCK: (?:Resource temporarily unavailable|already held by process)', // LevelDB, RocksDB
    'while lock file: [^\\n]*Resource temporarily unavailable',
    'profile appears to be in use by another', // Chromium
    'failed to create a ProcessSingleton',
    'browser is already running for', // Puppeteer
  ].join('|'),
  'i',
);

/** Errors of compilers and interpreters about the code itself. */
const CODE_ERROR = new RegExp(
  [
    'SyntaxError',
    'IndentationError',
    'ReferenceError',
    'NameError',
    'ImportError',
    'ModuleNotFoundError',
    'ERR_MODULE_NOT_FOUND',
    'ERR_UNSUPPORTED_',
    'cannot find (?:module|package)',
    'does not provide an export named',
    '\\berror TS\\d+',
    '\\berror\\[E\\d+\\]', // rustc
    'could not compile',
    'undefined: \\w+', // go
    'transform failed', // esbuild, tsx
  ].join('|'),
  'i',
);

/** Two of these servers can't run at the same time. */
export function isBusy(output: string): boolean {
  return BUSY.test(output);
}

/** Only an edit of the code can help. */
export function isCodeError(output: string): boolean {
  return CODE_ERROR.test(output);
}
