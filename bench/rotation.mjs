// Programs that print numbered lines without a pause, through rotations: every number exactly once, and how long they
// stood still. Then 200 MB of 100-byte lines with rotation on, beside plain redirection by a shell.
//
// node bench/rotation.mjs [rotations of each part, 20] [rounds of the comparison, 5]
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { cpuTicks, createHome, median, printTable, wallTime } from './measure.mjs';

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
const prints = program(
  'prints.cjs',
  `const line = 'x'.repeat(99) + '\\n', block = line.repeat(100);
   const fs = require('node:fs'), begun = process.hrtime.bigint();
   for (let i = 0; i < 20_000; i++) fs.writeSync(1, block);
   fs.writeSync(2, String(Number(process.hrtime.bigint() - begun) / 1e6) + '\\n');`,
);

/** All lines of a log, oldest first; a file at a time, for there may be millions. */
function* linesThrough(directory, base) {
  const names = readdirSync(directory).filter((name) => name.startsWith(`${base}.`) && !name.endsWith('.part'));
  for (const name of [...names.sort(), base]) {
    const bytes = readFileSync(join(directory, name));
    yield* (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString().split('\n').slice(0, -1);
  }
}

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
    home.nsv('stop', 'all');
    const logs = join(home.home, 'logs');
    const next = new Map();
    let lines = 0;
    let wrong = 0;
    for (const base of readdirSync(logs).filter((name) => name.endsWith('-out.log'))) {
      for (const line of linesThrough(logs, base)) {
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

function byShell() {
  const log = join(folder, 'shell.log');
  wallTime('sh', ['-c', `"$0" "$1" >> "$2" 2> "$2.err"`, process.execPath, prints, log]);
  const printed = Number(readFileSync(`${log}.err`, 'utf8'));
  rmSync(log);
  return { printed };
}

async function byNsv() {
  const home = createHome();
  try {
    home.nsv('start', '/bin/true', '--name', 'warm', '--no-autorestart', '--no-wait');
    const before = cpuTicks(home.daemonPid());
    home.nsv('start', prints, '--name', 'prints', '--no-autorestart', '--no-wait', '--log-total', '0');
    const error = join(home.home, 'logs', 'prints-0-err.log');
    while (!(statSync(error, { throwIfNoEntry: false })?.size > 0))
      await new Promise((resolve) => setTimeout(resolve, 20));
    return { printed: Number(readFileSync(error, 'utf8')), ticks: cpuTicks(home.daemonPid()) - before };
  } finally {
    home.dispose();
  }
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
  const pairs = [];
  for (let round = 0; round < rounds; round += 1) pairs.push({ shell: byShell(), nsv: await byNsv() });
  printTable('200 MB of 100-byte lines', [
    ['', 'ms', 'ratio', 'daemon CPU ticks'],
    ['shell redirection', median(pairs.map(({ shell }) => shell.printed)).toFixed(0), '1', ''],
    [
      'nsv, rotation on',
      median(pairs.map(({ nsv }) => nsv.printed)).toFixed(0),
      median(pairs.map(({ shell, nsv }) => nsv.printed / shell.printed)).toFixed(2),
      median(pairs.map(({ nsv }) => nsv.ticks)),
    ],
  ]);
} finally {
  rmSync(folder, { recursive: true });
}
