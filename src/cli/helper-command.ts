// How the program starts itself as a build helper: a word that nobody types, so it stands neither in the help nor in
// the completion. What a helper does is in build-helper.ts.

import { fileURLToPath } from 'node:url';

export const BUILD_HELPER = 'internal:build-helper';

/** What Node is given. */
export const buildHelperCommand = [fileURLToPath(new URL('../../bin/mcp-hotline.js', import.meta.url)), BUILD_HELPER];
