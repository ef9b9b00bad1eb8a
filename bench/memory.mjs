// Memory of the daemon: against a bare node that listens on a Unix socket, then for each managed process; and its idle CPU.
import { join } from 'node:path';
import { cpuTicks, createHome, printTable, pss, startReady } from './measure.mjs';

const count = Number(process.argv[2] ?? 300);
const home = createHome();
const code = "require('net').createServer().listen(process.argv[1], () => console.log('ready'))";
const bare = await startReady(process.execPath, ['-e', code, join(home.home, 'bare.sock')]);
try {
  home.nsv('start', '/bin/sleep', '--name', 'first', '--no-wait', '--', '600');
  await settled(home.daemonPid());
  const floor = pss(bare.pid);
  const idle = pss(home.daemonPid());
  home.nsv('start', '/bin/sleep', '--name', 'many', '-i', String(count), '--', '600');
  await settled(home.daemonPid());
  const full = pss(home.daemonPid());
  const before = cpuTicks(home.daemonPid());
  await new Promise((resolve) => setTimeout(resolve, 20_000));
  const ticks = cpuTicks(home.daemonPid()) - before;
  printTable('memory of the daemon (PSS)', [
    ['', 'kB', 'ratio'],
    ['bare node on a Unix socket', floor, '1'],
    ['daemon with one process', idle, (idle / floor).toFixed(2)],
    [`daemon with ${count} more`, full, (full / floor).toFixed(2)],
    ['for each process', ((full - idle) / count).toFixed(1), ''],
  ]);
  console.log(`idle CPU with ${count} processes: ${ticks} ticks in 20 s`);
} finally {
  bare.kill('SIGKILL');
  home.dispose();
}

/** Waits until the daemon has used no CPU for a second. */
async function settled(pid) {
  for (let last = -1; last !== cpuTicks(pid); ) {
    last = cpuTicks(pid);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}
