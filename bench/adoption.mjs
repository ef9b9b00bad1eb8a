// How long it takes from the death of a daemon to the next one's answer with all processes adopted.
// node bench/adoption.mjs [processes] [rounds]; exit code 1 if one of them is not the same as before, or 2 s are over.
import { setTimeout as after } from 'node:timers/promises';
import { createHome, median } from './measure.mjs';

const [processes = 300, rounds = 4] = process.argv.slice(2).map(Number);
const limit = 2_000;
const home = createHome();
const list = () => JSON.parse(home.nsv('list', '--json')).map(({ pid }) => pid);

try {
  home.nsv('start', '/bin/sleep', '--name', 'many', '-i', String(processes), '--no-wait', '--', '600');
  const before = list();
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const dead = home.daemonPid();
    process.kill(dead, 'SIGKILL');
    const begin = performance.now();
    while (home.daemonPid() === dead) await after(1);
    const adopted = list();
    times.push(Math.round(performance.now() - begin));
    if (String(adopted) !== String(before)) throw new Error('some processes are others than before');
  }
  console.log(`${processes} processes adopted: ${times.join(', ')} ms, median ${median(times)} ms`);
  process.exitCode = Math.max(...times) > limit ? 1 : 0;
} finally {
  home.dispose();
}
