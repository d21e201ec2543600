// `npm run dev`: the proxy on a fixture server, for working on mcp-hotline itself. Every change in src compiles it and,
// if it compiles, starts the proxy anew. Your terminal is the client: type JSON-RPC lines. Other options and another
// server: `npm run dev -- [options] -- <command>`. The compiler's own watch mode is not used: in version 7 it missed
// changes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { watch } from 'chokidar';
import debounce from 'debounce';
import { bundle } from './bundle.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const fixtures = `${root}fixtures/servers`;
const given = process.argv.slice(2);
const options = given.length > 0 ? given : ['--watch', fixtures, '--', process.execPath, `${fixtures}/tools.mjs`];

let proxy;
let working = false;
let stale = false;

process.once('SIGTERM', () => process.exit());
process.once('exit', () => proxy?.kill());
await start();
watch(`${root}src`, { ignoreInitial: true }).on('all', debounce(renew, 100));

/** One at a time; a change meanwhile causes one more round. */
async function renew() {
  stale = true;
  if (working) return;
  working = true;
  while (stale) {
    stale = false;
    if (await compiled()) await start();
  }
  working = false;
}

async function compiled() {
  say('compiling');
  const compiler = spawn(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'], {
    cwd: root,
    // stdout belongs to the proxy's messages.
    stdio: ['ignore', process.stderr, process.stderr],
  });
  const [code] = await once(compiler, 'exit');
  const done = code === 0 && (await bundle());
  if (!done) say('it does not compile, so the proxy stays as it is');
  return done;
}

async function start() {
  if (proxy !== undefined && proxy.exitCode === null && proxy.signalCode === null) {
    const gone = once(proxy, 'exit');
    proxy.kill();
    await gone;
  }
  say(`mcp-hotline ${options.join(' ')}`);
  proxy = spawn(process.execPath, ['--enable-source-maps', `${root}bin/mcp-hotline.js`, ...options], {
    stdio: 'inherit',
  });
  proxy.once('exit', (code) => {
    if (working) return;
    if (code === 0) process.exit();
    say(`the proxy ended with code ${code}; the next change starts it again`);
  });
}

function say(text) {
  process.stderr.write(`dev: ${text}\n`);
}
