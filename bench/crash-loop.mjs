// A program that fails at once, restarted without a limit: memory, descriptors and CPU of the daemon a cycle.
import { cpuTicks, createHome, descriptors, printTable, pss } from './measure.mjs';

const cycles = Number(process.argv[2] ?? 10_000);
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
    return { restarts: now, ticks: cpuTicks(pid), pss: pss(pid), descriptors: descriptors(pid) };
  };
  const rows = [];
  for (let part = 1; part <= 5; part += 1) rows.push(await reached((cycles / 5) * part));
  const [first, last] = [rows[0], rows.at(-1)];
  const done = last.restarts - first.restarts;
  printTable('crash and restart of /bin/false', [
    ['cycles', 'PSS kB', 'descriptors', 'CPU ticks'],
    ...rows.map((row) => [row.restarts, row.pss, row.descriptors, row.ticks]),
  ]);
  console.log(
    `PSS grows ${(((last.pss - first.pss) / done) * 1000).toFixed(1)} kB per 1000; CPU ${(((last.ticks - first.ticks) * 10) / done).toFixed(2)} ms a cycle`,
  );
} finally {
  home.dispose();
}
