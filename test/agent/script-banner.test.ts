// What is taken for the banner of a script runner, and what is left of an output without it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutBanner } from '#src/agent/script-banner.js';

const error = "src/a.ts(1,1): error TS1005: ';' expected.\n\n  1 | a b\n    |   ^";

const printed = {
  npm: `npm warn Unknown user config "x".\n\n> app@1.0.0 build\n> tsc --noEmit\n\n${error}\n`,
  'npm, of a package without a version': `\n> build\n> tsc\n\n${error}\n`,
  'npm, of a scoped package, on Windows': `\r\n> @me/app@1.0.0-rc.1 build:all\r\n> tsc\r\n\r\n${error.replaceAll('\n', '\r\n')}\r\n`,
  'npm, with a script that runs another': `\n> app@1.0.0 build\n> npm run tsc\n\n\n> app@1.0.0 tsc\n> tsc\n\n${error}`,
  pnpm: `\n> app@1.0.0 build /home/me/app\n> tsc\n\n${error}\n`,
  yarn: `yarn run v1.22.22\n$ tsc\n${error}\ninfo Visit https://yarnpkg.com/en/docs/cli/run for documentation about this command.\n`,
};

for (const [name, text] of Object.entries(printed)) {
  test(`P7 the banner of ${name} is no part of a build's words`, () => {
    const { runner, rest } = withoutBanner(text);
    assert.equal(runner, name.split(',')[0]);
    assert.equal(rest, error);
  });
}

test('P7 other words stay, also those that look a little like a banner', () => {
  for (const text of [
    'npm error Missing script: "build"',
    '> this is a quotation',
    '> one\nnothing like a command',
    '$ tsc',
    'a\n> b@c\nd',
    '',
  ])
    assert.deepEqual(withoutBanner(text), { runner: undefined, rest: text });
});
