// What the tests cost: node bench/suite.mjs [--dearest 10] [-- command]
// The CPU time and the time by the clock of `npm test`, or of another command, with all that it starts, beside those of
// `node -e 0`; then those of the files that took longest, each run once more, alone. On Linux: it takes a pid namespace, whose
// first process inherits, and so sums up, what daemons have used. Builds and packages have to be there: run `npm install` first.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { printTable, root } from './measure.mjs';

const { values, positionals: command } = parseArgs({
  allowPositionals: true,
  options: { dearest: { type: 'string', default: '10' } },
});
const folder = mkdtempSync(join(tmpdir(), 'nsv-suite-'));
const results = join(folder, 'results.json');
try {
  const before = await floor();
  const words = command.length > 0 ? command : ['npm', 'test'];
  const whole = await cost(words, { NSV_TEST_RESULTS: results });
  const unit = (before + (await floor())) / 2;
  const rows = Object.entries({ 'node -e 0': unit, 'CPU time': whole.cpu, 'by the clock': whole.clock });
  printTable(`${words.join(' ')}: exit code ${whole.code}`, [
    ['', 'seconds', 'times node -e 0'],
    ...rows.map(([name, time]) => [name, time.toFixed(time < 1 ? 3 : 0), Math.round(time / unit)]),
  ]);
  if (command.length === 0) await printDearest(Number(values.dearest), unit);
  process.exitCode = whole.code;
} finally {
  rmSync(folder, { recursive: true });
}

/** CPU time of `node -e 0`, seconds. Twenty at once: the shell counts in hundredths of a second. */
async function floor() {
  const numbers = Array.from({ length: 20 }, (_, index) => index).join(' ');
  const { cpu } = await cost(['sh', '-c', `for i in ${numbers}; do "${process.execPath}" -e 0; done`]);
  return cpu / 20;
}

/** Files that took long by the clock are those that may have used most. */
async function printDearest(count, unit) {
  const { files } = JSON.parse(readFileSync(results, 'utf8'));
  const longest = files.sort((one, other) => other.duration - one.duration).slice(0, count * 3);
  const rows = [];
  for (const { file } of longest) {
    const once = ['scripts/suite/once.mjs', join(folder, 'one.json'), file];
    const { cpu, clock } = await cost([process.execPath, ...once], {}, 'ignore');
    rows.push([file, cpu, clock]);
  }
  const dearest = rows.sort(([, one], [, other]) => other - one).slice(0, count);
  printTable('the dearest files, each alone', [
    ['file', 'CPU seconds', 'times node -e 0', 'by the clock'],
    ...dearest.map(([file, cpu, clock]) => [file, cpu.toFixed(1), Math.round(cpu / unit), clock.toFixed(1)]),
  ]);
}

/** Runs a command to its end. Seconds of CPU time of it and all that it left behind, seconds by the clock, its exit code. */
async function cost(words, env = {}, output = 'inherit') {
  const namespace = ['unshare', ...(process.getuid() === 0 ? [] : ['--user', '--map-current-user'])];
  // times(1p): the second line is that of all processes that the shell has waited for, as it does for those without a parent.
  const script = '"$@"; code=$?; times >&3; exit $code';
  const apart = [...namespace, '--pid', '--fork', '--mount-proc', '--kill-child', 'sh', '-c', script, 'sh', ...words];
  const begin = performance.now();
  const [program, ...args] = apart;
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', output, output, 'pipe'],
  });
  let times = '';
  child.stdio[3].setEncoding('utf8').on('data', (text) => {
    times += text;
  });
  const [code] = await once(child, 'close');
  const spent = [...times.matchAll(/(\d+)m([\d.]+)s/g)].map(([, minutes, seconds]) => minutes * 60 + Number(seconds));
  if (spent.length !== 4) throw new Error(`unshare, which needs root or user namespaces, ended with ${code}`);
  return { code, cpu: spent[2] + spent[3], clock: (performance.now() - begin) / 1000 };
}
