// What `--watchdog` costs and does:
//   node bench/watchdog.mjs cost [processes] [seconds]   CPU time of the daemon and of idle apps, without and with it
//   node bench/watchdog.mjs replaced                     how fast a process that spins is replaced, under load; connections lost
//   node bench/watchdog.mjs alarms                       what looks blocked and is not: each line says whether it was left alone
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuTime, createHome, printTable } from './measure.mjs';
import { app } from './watchdog/app.mjs';

const [act = 'cost', ...words] = process.argv.slice(2);

/** Percent of a core for the daemon and for all apps together, after they have come to rest. */
async function costOf(processes, seconds, ...options) {
  const home = createHome();
  try {
    home.nsv('start', app(home), '--name', 'idle', '-i', String(processes), ...options);
    await sleep(20_000);
    const pids = JSON.parse(home.nsv('list', '--json')).map(({ pid }) => pid);
    await sleep(5_000);
    const sum = () => pids.reduce((total, pid) => total + cpuTime(pid), 0);
    const [daemon, apps] = [cpuTime(home.daemonPid()), sum()];
    await sleep(seconds * 1_000);
    const percent = (ms) => ms / (10 * seconds);
    return { daemon: percent(cpuTime(home.daemonPid()) - daemon), apps: percent(sum() - apps) };
  } finally {
    home.dispose();
  }
}

async function cost(processes = 100, seconds = 60) {
  const rows = [['', 'daemon', 'apps', 'both']];
  for (const limit of ['off', '30s', '2s', 'off', '30s']) {
    const options = limit === 'off' ? [] : ['--watchdog', limit];
    const { daemon, apps } = await costOf(Number(processes), Number(seconds), ...options);
    rows.push([limit, ...[daemon, apps, daemon + apps].map((share) => `${share.toFixed(3)} %`)]);
  }
  printTable(`--watchdog, ${processes} idle processes, ${seconds} s: share of one core`, rows);
}

if (act === 'cost') await cost(...words);
else await (await import(`./watchdog/${act}.mjs`)).run(...words);
