// The least that a Node process between client and server can do: it passes chunks on, both ways. The benchmark's
// yardstick. With `--apart` the server has a session of its own, without which what it has started can't be ended
// together with it: kernels that share out the processors by sessions make those wait longer for each other.
import { spawn } from 'node:child_process';

const words = process.argv.slice(2);
const detached = words[0] === '--apart';
const [command = '', ...args] = detached ? words.slice(1) : words;
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], detached });
process.stdin.pipe(child.stdin);
child.stdout.pipe(process.stdout);
