// The command line with which the program starts itself as a build helper. Nobody types it, so it is neither in the
// help nor in the completion. build-helper.ts is the helper.

import { fileURLToPath } from 'node:url';

export const BUILD_HELPER = 'internal:build-helper';

/** The arguments of Node. */
export const buildHelperCommand = [fileURLToPath(new URL('../../bin/mcp-hotline.js', import.meta.url)), BUILD_HELPER];
