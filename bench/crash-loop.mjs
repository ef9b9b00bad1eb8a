// A program that fails at once, restarted without a limit: memory, descriptors and CPU of the daemon a cycle.
import { cpuTicks, createHome, descriptors, ownMemory, printTable, pss } from './measure.mjs';

const cycles = Number(process.argv[2] ?? 10_000);
const parts = 40;
const home = createHome();
try {
  home.nsv('start', '/bin/false', '--name', 'fails', '--no-wait', '--max-restarts', 'unlimited');
  const pid = home.daemonPid();
  const restarts = () => JSON.parse(home.nsv('list', '--json'))[0].restarts;
  const reached = async (count) => {
    let now = restarts();
    while (now < count) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      now = restarts();
    }
    return { restarts: now, ticks: cpuTicks(pid), own: ownMemory(pid), pss: pss(pid), descriptors: descriptors(pid) };
  };
  const rows = [];
  for (let part = 1; part <= parts; part += 1) rows.push(await reached((cycles / parts) * part));
  const [first, last] = [rows[0], rows.at(-1)];
  const done = last.restarts - first.restarts;
  printTable('crash and restart of /bin/false', [
    ['cycles', 'own kB', 'PSS kB', 'descriptors', 'CPU ticks'],
    ...rows
      .filter((_, index) => index % 4 === 3)
      .map((row) => [row.restarts, row.own, row.pss, row.descriptors, row.ticks]),
  ]);
  console.log(
    `own memory grows ${(slope(rows) * 1000).toFixed(1)} kB per 1000 cycles (least squares); CPU ${(((last.ticks - first.ticks) * 10) / done).toFixed(2)} ms a cycle`,
  );
} finally {
  home.dispose();
}

/** Of memory over cycles, by least squares: between two collections of garbage it goes up and down by megabytes. */
function slope(rows) {
  const mean = (key) => rows.reduce((sum, row) => sum + row[key], 0) / rows.length;
  const [x, y] = [mean('restarts'), mean('own')];
  const sum = (term) => rows.reduce((total, row) => total + term(row), 0);
  return sum((row) => (row.restarts - x) * (row.own - y)) / sum((row) => (row.restarts - x) ** 2);
}
