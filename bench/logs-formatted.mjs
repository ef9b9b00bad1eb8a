// Formatted logs: an app that prints lines of 100 bytes as fast as it can, with its log as a plain file of the shell, and
// below nsv as it is printed, with a time, and in JSON. Lines per second, what the daemon and the formatter use, what is lost.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuTicks, createHome, median, ownMemory, printTable, processesOf, wallTime } from './measure.mjs';
import { linesThrough } from './rotated-lines.mjs';

const lines = Number(process.argv[2] ?? 500_000);
const rounds = Number(process.argv[3] ?? 5);

/** Each line has its number, so that a lost or doubled one is seen. It says in a file how long it took. */
const source = `
  const { writeFileSync } = require('node:fs');
  const begin = process.hrtime.bigint();
  const tail = ' '.padEnd(91, 'x');
  for (let n = 0; n < ${lines}; n += 1) console.log(String(n).padStart(8, '0') + tail);
  writeFileSync(process.argv[2], String(Number(process.hrtime.bigint() - begin) / 1e6));`;

/** With the rotation that is on by default, and nothing deleted. */
const keepAll = ['--log-keep', '1000', '--log-total', '0'];

const ways = [
  ['as printed', []],
  ['--time', ['--time']],
  ['--log-type json', ['--log-type', 'json']],
];

const rows = [];
const floors = [];
const results = new Map(ways.map(([name]) => [name, []]));
for (let round = 0; round < rounds; round += 1) {
  floors.push(shell());
  for (const [name, flags] of ways) results.get(name).push(await below(flags));
}
const floor = median(floors);
rows.push(['the shell', Math.round((lines / floor) * 1_000), '1.00', '-', '-', '-', '-', '-']);
for (const [name] of ways) {
  const all = results.get(name);
  const of = (key) => median(all.map((one) => one[key]));
  const ratio = (of('time') / floor).toFixed(2);
  const wrong = all.reduce((sum, one) => sum + one.wrong, 0);
  rows.push([
    name,
    Math.round((lines / of('time')) * 1_000),
    ratio,
    of('daemonTicks'),
    of('growth').toFixed(2),
    of('formatterTicks'),
    of('formatterMemory'),
    wrong,
  ]);
}
printTable(`${lines} lines of 100 bytes, medians of ${rounds}`, [
  [
    'log',
    'lines a second',
    'time',
    'daemon, ticks',
    'daemon, memory',
    'formatter, ticks',
    'formatter, kB',
    'lines lost or out of order',
  ],
  ...rows,
]);

/** Milliseconds of the app's own printing. */
function shell() {
  const { home, dispose } = createHome();
  const [app, time, out] = ['app.cjs', 'time', 'out.log'].map((name) => join(home, name));
  try {
    writeFileSync(app, source);
    // In a session of its own, as the apps of nsv: Linux shares the CPU among sessions.
    wallTime('setsid', ['--wait', '/bin/sh', '-c', '"$0" "$1" "$2" >> "$3"', process.execPath, app, time, out]);
    return Number(readFileSync(time, 'utf8'));
  } finally {
    dispose();
  }
}

async function below(flags) {
  const { home, nsv, daemonPid, end, dispose } = createHome();
  const [app, time] = ['app.cjs', 'time'].map((name) => join(home, name));
  try {
    writeFileSync(app, source);
    nsv('start', '/bin/sleep', '--name', 'idle', '--no-wait', ...flags, '--', '600');
    const pid = daemonPid();
    await pause(3_000);
    const formatter = formatterOf(home);
    const memory = ownMemory(pid);
    const [ticks, begun] = [cpuTicks(pid), formatter && cpuTicks(formatter)];
    nsv('start', app, '--name', 'prints', '--no-wait', '--no-autorestart', ...keepAll, ...flags, '--', time);
    const most = { daemon: memory, formatter: 0 };
    while (!existsSync(time)) {
      most.daemon = Math.max(most.daemon, ownMemory(pid));
      if (formatter) most.formatter = Math.max(most.formatter, ownMemory(formatter));
      await pause(100);
    }
    const daemonTicks = cpuTicks(pid) - ticks;
    const formatterTicks = formatter ? cpuTicks(formatter) - begun : '-';
    while (JSON.parse(nsv('list', 'prints', '--json'))[0].pid !== null) await pause(100);
    end();
    return {
      time: Number(readFileSync(time, 'utf8')),
      daemonTicks,
      growth: most.daemon / memory,
      formatterTicks,
      formatterMemory: most.formatter,
      wrong: wrongIn(join(home, 'logs', 'prints-0-out.log')),
    };
  } finally {
    dispose();
  }
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** How many lines are not where they should be, through all rotations. */
function wrongIn(log) {
  let next = 0;
  let displaced = 0;
  for (const line of linesThrough(log)) {
    const number = /(\d{8}) x{90}/.exec(line)?.[1];
    if (Number(number) !== next) displaced += 1;
    next += 1;
  }
  return Math.abs(lines - next) + displaced;
}

function formatterOf(home) {
  return processesOf(home).find((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('formatter/main.js');
    } catch {
      // It ended after it had been listed.
      return false;
    }
  });
}
