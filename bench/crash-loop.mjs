// A program that fails at once, restarted without a limit: memory, descriptors and CPU of the daemon a cycle. And a hundred of them, in
// Node: how long people wait, beside how long they wait without.
//   node bench/crash-loop.mjs [cycles]
//
// Between two collections of garbage, some 2,000 cycles, memory goes up by megabytes and back: what tells of a leak is
// the lowest point in each part of the run.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuTicks, createHome, descriptors, launcher, median, ownMemory, printTable, wallTime } from './measure.mjs';

const cycles = Number(process.argv[2] ?? 3_000);
const parts = 6;
const home = createHome();
try {
  home.nsv('start', '/bin/false', '--name', 'fails', '--no-wait', '--max-restarts', 'unlimited');
  const pid = home.daemonPid();
  const rows = [];
  for (let part = 1; part <= parts; part += 1) rows.push(await watchUntil((cycles / parts) * part, pid));
  const [, first] = rows;
  const last = rows.at(-1);
  const done = last.restarts - first.restarts;
  printTable('crash and restart of /bin/false', [
    ['cycles', 'own memory at least, kB', 'at most', 'descriptors at most', 'CPU ticks'],
    ...rows.map(({ restarts, least, most, open, ticks }) => [restarts, least, most, open, ticks]),
  ]);
  console.log(
    `after the first part: ${(((last.least - first.least) / done) * 1000).toFixed(1)} kB more per 1000 cycles`,
  );
  console.log(`CPU: ${(((last.ticks - first.ticks) * 10) / done).toFixed(2)} ms a cycle`);
  home.nsv('delete', 'fails');
  const before = waits();
  startFailing(100);
  const during = waits();
  printTable('beside a hundred programs that fail again and again, ms', [
    ['command', 'without', 'with'],
    ...Object.keys(before).map((command) => [command, before[command], during[command]]),
  ]);
} finally {
  home.dispose();
}

async function watchUntil(count, pid) {
  const row = { restarts: 0, least: Number.POSITIVE_INFINITY, most: 0, open: 0, ticks: 0 };
  while (row.restarts < count) {
    for (let look = 0; look < 20; look += 1) {
      const own = ownMemory(pid);
      row.least = Math.min(row.least, own);
      row.most = Math.max(row.most, own);
      row.open = Math.max(row.open, descriptors(pid));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    row.restarts = JSON.parse(home.nsv('list', '--json'))[0].restarts;
    row.ticks = cpuTicks(pid);
  }
  return row;
}

/** Medians of nine. */
function waits() {
  if (!home.nsv('list').includes('web')) home.nsv('start', app(), '--name', 'web');
  const of = (...words) => median(Array.from({ length: 9 }, () => wallTime(launcher, words, home.env)));
  return { list: of('list').toFixed(0), reload: of('reload', 'web').toFixed(0) };
}

function app() {
  const file = join(home.home, 'web.cjs');
  writeFileSync(file, "require('node:http').createServer((_, answer) => answer.end()).listen(0);");
  return file;
}

function startFailing(count) {
  const script = join(home.home, 'failing.cjs');
  writeFileSync(script, "throw new Error('no database');");
  const apps = Array.from({ length: count }, (_, index) => ({ name: `f${index}`, script, max_restarts: 'unlimited' }));
  const file = join(home.home, 'nsv.config.json');
  writeFileSync(file, JSON.stringify({ apps }));
  home.nsv('start', file, '--no-wait');
}
