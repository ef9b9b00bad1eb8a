// Runs a command while clients keep asking a server, and counts the requests that fail:
// node bench/load.mjs http://localhost:3000 -- nsv reload hello
// 64 clients keep their connections; besides, there are 200 new connections a second. An answer must have status 200.
// The exit code is that of the command, or 1 if a request failed.
import { spawn } from 'node:child_process';
import { setTimeout as after } from 'node:timers/promises';
import { styleText } from 'node:util';
import { Load } from './loss/client.mjs';
import { kinds } from './loss/failures.mjs';

const [address, , ...command] = process.argv.slice(2);
const { hostname, port } = new URL(address);
const judge = ({ status }) => (status === 200 ? {} : { kind: 'wrong', detail: String(status) });

const load = new Load({ host: hostname, port: Number(port), judge });
await after(300);
const code = await run(command);
await after(300);
await load.stop();

const { requests, failures } = load;
const counts = kinds.map((kind) => [failures.filter((failure) => failure.kind === kind).length, kind]);
const shown = counts.filter(([count]) => count > 0).map(([count, kind]) => `${count} ${kind}`);
const verdict = [`${failures.length} failed`, ...shown].join(', ');
const colour = failures.length > 0 ? 'red' : 'green';
const painted = process.stdout.isTTY ? styleText(['bold', colour], verdict) : verdict;
console.log(`${requests.toLocaleString('en')} requests on 64 kept connections and 200 new ones a second: ${painted}`);
process.exitCode = code || (failures.length > 0 ? 1 : 0);

function run([program, ...words]) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: 'inherit' });
    child.on('error', reject).on('close', (status) => resolve(status ?? 1));
  });
}
