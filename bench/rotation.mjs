// Programs that print numbered lines without a pause, through rotations: every number exactly once, and how long they
// stood still. Then 200 MB of 100-byte lines with rotation on, from one app and from two at once, beside plain
// redirection by a shell.
//
// node bench/rotation.mjs [rotations of each part, 20] [rounds of the comparison, 5]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuTicks, createHome, median, printTable } from './measure.mjs';
import { linesThrough } from './rotated-lines.mjs';

const rotations = Number(process.argv[2] ?? 20);
const rounds = Number(process.argv[3] ?? 5);
const folder = mkdtempSync(join(tmpdir(), 'nsv-bench-rotation-'));
const program = (name, source) => {
  const file = join(folder, name);
  writeFileSync(file, source);
  return file;
};

const counts = program(
  'counts.cjs',
  `let n = 0; const slot = process.env.NSV_INSTANCE;
   const rest = () => setInterval(() => {}, 1 << 30);
   // For a minute at most: where rotations come slowly, the disk must not fill.
   (function print() {
     for (let i = 0; i < 200; i++) console.log(slot + ' ' + n++);
     if (process.uptime() < 60) setImmediate(print); else rest();
   })();`,
);
const print200MB = `
  const line = 'x'.repeat(99) + '\\n', block = line.repeat(100);
  const fs = require('node:fs'), begun = process.hrtime.bigint();
  for (let i = 0; i < 20_000; i++) fs.writeSync(1, block);
  fs.writeSync(2, String(Number(process.hrtime.bigint() - begun) / 1e6) + '\\n');`;
const prints = { prints: program('prints.cjs', print200MB), 'prints-too': program('prints-too.cjs', print200MB) };
const once200MB = ['--no-autorestart', '--no-wait', '--log-total', '0', '--log-keep', '1000'];

async function everyNumberOnce(title, options) {
  const home = createHome();
  try {
    const limits = ['--log-keep', '100000', '--log-total', '0', '--log-max-size', '1M'];
    home.nsv('start', counts, '-i', '4', ...options, ...limits);
    const stopped = [];
    for (let round = 0; round < rotations; round += 1) {
      for (const view of JSON.parse(home.nsv('logs', 'rotate', '--json'))) stopped.push(view.stopped);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    home.end();
    const logs = join(home.home, 'logs');
    const next = new Map();
    let lines = 0;
    let wrong = 0;
    for (const base of readdirSync(logs).filter((name) => name.endsWith('-out.log'))) {
      for (const line of linesThrough(join(logs, base))) {
        const [slot, number] = line.split(' ');
        if (Number(number) !== (next.get(slot) ?? 0)) wrong += 1;
        next.set(slot, Number(number) + 1);
        lines += 1;
      }
    }
    const files = readdirSync(logs).filter((name) => /Z(\.gz)?$/.test(name)).length;
    return [title, files, lines, wrong, median(stopped).toFixed(1), Math.max(...stopped).toFixed(1)];
  } finally {
    home.dispose();
  }
}

/** Milliseconds until the last of `apps` had printed all, begun at the same time. */
async function byShell(apps) {
  const files = Array.from({ length: apps }, (_, n) => join(folder, `shell-${n}.log`));
  const words = (log) => ['-c', `"$0" "$1" >> "$2" 2> "$2.err"`, process.execPath, prints.prints, log];
  await Promise.all(files.map((log) => once(spawn('sh', words(log)), 'exit')));
  const printed = Math.max(...files.map((log) => Number(readFileSync(`${log}.err`, 'utf8'))));
  for (const log of files) rmSync(log);
  return { printed };
}

async function byNsv(apps) {
  const home = createHome();
  const names = Object.keys(prints).slice(0, apps);
  const logs = join(home.home, 'logs');
  const sizeOf = (file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  try {
    home.nsv('start', '/bin/true', '--name', 'warm', '--no-autorestart', '--no-wait');
    const before = cpuTicks(home.daemonPid());
    home.nsv('start', ...names.map((name) => prints[name]), ...once200MB);
    const errors = names.map((name) => join(logs, `${name}-0-err.log`));
    while (!errors.every((file) => sizeOf(file) > 0)) await new Promise((resolve) => setTimeout(resolve, 20));
    const printed = Math.max(...errors.map((file) => Number(readFileSync(file, 'utf8'))));
    const ticks = cpuTicks(home.daemonPid()) - before;
    home.end();
    let lines = 0;
    for (const name of names)
      for (const line of linesThrough(join(logs, `${name}-0-out.log`))) lines += line.length === 99;
    return { printed, ticks, missing: apps * 2_000_000 - lines };
  } finally {
    home.dispose();
  }
}

async function besideShell(apps) {
  const pairs = [];
  for (let round = 0; round < rounds; round += 1) pairs.push({ shell: await byShell(apps), nsv: await byNsv(apps) });
  const middle = (of) => median(pairs.map(of));
  printTable(`200 MB of 100-byte lines, ${apps} at once`, [
    ['', 'ms', 'ratio', 'daemon CPU ticks', 'lines missing'],
    ['shell redirection', middle(({ shell }) => shell.printed).toFixed(0), '1', '', ''],
    [
      'nsv, rotation on',
      middle(({ nsv }) => nsv.printed).toFixed(0),
      middle(({ shell, nsv }) => nsv.printed / shell.printed).toFixed(2),
      middle(({ nsv }) => nsv.ticks),
      Math.max(...pairs.map(({ nsv }) => nsv.missing)),
    ],
  ]);
}

try {
  const rows = [
    await everyNumberOnce('4 instances, one file', ['--merge-logs']),
    await everyNumberOnce('4 instances, a file each', []),
  ];
  printTable('numbered lines without a pause', [
    ['', 'rotated files', 'lines', 'lost or doubled', 'stopped ms, median', 'at most'],
    ...rows,
  ]);
  for (const apps of [1, 2]) await besideShell(apps);
} finally {
  rmSync(folder, { recursive: true });
}
