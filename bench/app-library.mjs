// What `nsv/app` costs:
//   node bench/app-library.mjs start [rounds]                 what importing it adds to the start of a program, beside an empty package
//   node bench/app-library.mjs throughput [pairs] [seconds]   requests per second with everything in use, as a share of those without
//   node bench/app-library.mjs idle [processes] [seconds]     memory and CPU time of idle processes
// As in throughput.mjs, servers have one CPU and the load generator another.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuTime, createHome, freePort, launcher, median, ownMemory, printTable, root, wallTime } from './measure.mjs';

const [act = 'start', ...words] = process.argv.slice(2);
const without = join(root, 'bench', 'app-library', 'server.mjs');
const everything = join(root, 'bench', 'app-library', 'everything.mjs');

async function start(rounds = 51) {
  const folder = mkdtempSync(join(tmpdir(), 'nsv-bench-'));
  try {
    const empty = join(folder, 'node_modules', 'empty');
    mkdirSync(empty, { recursive: true });
    symlinkSync(root, join(folder, 'node_modules', 'nsv'));
    const exports = { import: './index.mjs', default: './index.cjs' };
    writeFileSync(join(empty, 'package.json'), JSON.stringify({ name: 'empty', exports: { './app': exports } }));
    writeFileSync(join(empty, 'index.mjs'), 'export {};');
    writeFileSync(join(empty, 'index.cjs'), '');
    const rows = [['', 'nothing', 'an empty package adds', 'nsv/app adds to that']];
    for (const [name, suffix, codes] of [
      ['import (ES module)', 'mjs', ['export {};', "import 'empty/app';", "import 'nsv/app';"]],
      ['require (CommonJS)', 'cjs', ['', "require('empty/app');", "require('nsv/app');"]],
    ]) {
      const files = codes.map((code, index) => {
        const file = join(folder, `${index}.${suffix}`);
        writeFileSync(file, code);
        return file;
      });
      const times = [[], [], []];
      for (let round = 0; round < Number(rounds); round += 1)
        for (let turn = 0; turn < 3; turn += 1) {
          const index = (round + turn) % 3;
          times[index].push(wallTime(process.execPath, [files[index]]));
        }
      const [bare, floor, own] = times;
      const more = (all, than) => median(all.map((time, round) => time - than[round]));
      rows.push([name, ...[median(bare), more(floor, bare), more(own, floor)].map((ms) => `${ms.toFixed(1)} ms`)]);
    }
    printTable(`start of a program, median of ${rounds} rounds`, rows);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts `count` processes, hands on their port and home, and ends them. */
async function withApp(script, count, use) {
  const home = createHome();
  const port = await freePort();
  try {
    const command = ['-c', '0', launcher, 'start', script, '--name', 'web', '-i', String(count)];
    execFileSync('taskset', command, { env: { ...home.env, PORT: String(port) }, stdio: 'ignore' });
    return await use(port, home);
  } finally {
    home.dispose();
  }
}

function requestsPerSecond(port, seconds) {
  const args = ['-c', '1', 'wrk', '-t1', '-c32', `-d${seconds}s`, `http://127.0.0.1:${port}/`];
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(execFileSync('taskset', args, { encoding: 'utf8' }))[1]);
}

async function throughput(pairs = 7, seconds = 5) {
  const shares = [];
  for (let pair = 0; pair < Number(pairs); pair += 1) {
    const rates = new Map();
    for (const script of pair % 2 === 0 ? [without, everything] : [everything, without])
      rates.set(script, await withApp(script, 2, (port) => requestsPerSecond(port, seconds)));
    shares.push(rates.get(everything) / rates.get(without));
  }
  const figures = [median(shares), Math.min(...shares), Math.max(...shares)].map((share) => share.toFixed(3));
  printTable(`requests per second with everything, as a share of those without, ${pairs} pairs of ${seconds} s`, [
    ['median', 'least', 'most'],
    figures,
  ]);
}

async function idle(processes = 20, seconds = 60) {
  const rows = [['', 'private memory, median', 'CPU time of all']];
  for (const script of [without, everything, without, everything]) {
    const row = await withApp(script, Number(processes), async (_port, home) => {
      await sleep(15_000);
      const pids = JSON.parse(home.nsv('list', '--json')).map(({ pid }) => pid);
      const sum = () => pids.reduce((total, pid) => total + cpuTime(pid), 0);
      const before = sum();
      await sleep(Number(seconds) * 1_000);
      return [`${(median(pids.map(ownMemory)) / 1024).toFixed(2)} MB`, `${(sum() - before).toFixed(1)} ms`];
    });
    rows.push([script === without ? 'without' : 'everything', ...row]);
  }
  printTable(`${processes} idle processes, ${seconds} s`, rows);
}

const acts = { start, throughput, idle };
await acts[act](...words);
