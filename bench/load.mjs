// Runs a command while clients keep asking a server, and counts the requests that fail:
// node bench/load.mjs [--clients 10] [--rate 50] http://localhost:3000/path -- nsv reload hello
// Each client keeps its connection, and asks again up to 100 ms after an answer; besides, there are 50 new connections a second.
// Every request is for this path, and an answer must have status 200.
// The exit code is that of the command; 1 if a request failed; 2 if nothing can be said: the words are wrong, the server did not
// answer with 200 before the command was run, or the clients themselves stood still for more than a second meanwhile.
import { spawn } from 'node:child_process';
import { setTimeout as after } from 'node:timers/promises';
import { parseArgs, styleText } from 'node:util';
import { Load } from './loss/client.mjs';
import { kinds } from './loss/failures.mjs';
import { Http1Connection } from './loss/http1.mjs';

const usage = 'usage: node bench/load.mjs [--clients n] [--rate n] http://host:port/path -- command [arguments]';

class Unusable extends Error {}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Unusable)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

async function main(words) {
  const { url, clients, rate, command } = read(words);
  const judge = ({ status }) => (status === 200 ? {} : { kind: 'wrong', detail: `status ${status}` });
  const path = url.pathname + url.search;
  const target = { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || 80, name: url.host, judge };
  const { kind, detail } = await askOnce(target, path);
  if (kind) throw new Unusable(`${url.href} does not answer with 200: ${detail ?? kind}; the command was not run`);

  const load = new Load(target, { clients, rate, path, think: [0, 100] });
  let code;
  try {
    await after(300);
    code = await run(command);
    await after(300);
  } finally {
    await load.stop();
  }
  return report(load, `${clients} kept connections and ${rate} new ones a second`) ?? code;
}

async function askOnce(target, path) {
  const connection = new Http1Connection(target);
  const outcome = await connection.request(path, undefined, true);
  connection.close();
  return outcome;
}

function read(words) {
  const split = words.indexOf('--');
  if (split < 0 || split === words.length - 1) throw new Unusable(`there is no command\n${usage}`);
  const options = { clients: { type: 'string', default: '10' }, rate: { type: 'string', default: '50' } };
  const { values, positionals } = parsed(words.slice(0, split), options);
  const [address = ''] = positionals;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== 'http:')
    throw new Unusable(`"${address}" is not an address that begins with http://\n${usage}`);
  const numbers = Object.entries(values).map(([name, value]) => [name, wholeNumber(name, value)]);
  return { url, ...Object.fromEntries(numbers), command: words.slice(split + 1) };
}

function parsed(args, options) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new Unusable(`${error.message}\n${usage}`);
  }
}

function wholeNumber(name, text) {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new Unusable(`--${name} must be a whole number from 0 to 9999, not "${text}"\n${usage}`);
}

/** Prints what was counted. Returns the exit code, unless it is that of the command. */
function report({ requests, failures, stall, isStarved }, clients) {
  const asked = `${requests.toLocaleString('en')} requests on ${clients}`;
  if (isStarved) {
    console.error(
      `${asked}: not counted, because the load generator was starved: it stood still for ${seconds(stall)}`,
    );
    return 2;
  }
  const verdict = [
    `${failures.length} failed`,
    ...counted(
      failures.map(({ kind }) => kind),
      kinds,
    ),
  ].join(', ');
  const details = counted(failures.flatMap(({ kind, detail }) => (kind === 'wrong' ? [detail] : [])));
  const colour = failures.length > 0 ? 'red' : 'green';
  const painted = process.stdout.isTTY ? styleText(['bold', colour], verdict) : verdict;
  console.log(`${asked}: ${painted}${details.length > 0 ? ` (${details.join(', ')})` : ''}`);
  return failures.length > 0 ? 1 : undefined;
}

function counted(words, order = [...new Set(words)].sort()) {
  const counts = order.map((word) => [words.filter((each) => each === word).length, word]);
  return counts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
}

function seconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

function run([program, ...words]) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: 'inherit' });
    child.on('error', (error) => reject(new Unusable(`cannot run ${program}: ${error.message}`)));
    child.on('close', (status) => resolve(status ?? 1));
  });
}
