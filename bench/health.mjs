// What the watchdog and both probes cost together, with their default intervals:
//   node bench/health.mjs throughput [rounds] [seconds]   requests per second on kept and on new connections, without and with them
//   node bench/health.mjs idle [processes] [seconds]      CPU time of the daemon and of idle apps, without and with them
// As in throughput.mjs, servers have one CPU and the load generator another.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuTime, createHome, freePort, launcher, median, printTable, root } from './measure.mjs';

const [act = 'throughput', ...words] = process.argv.slice(2);
const hello = join(root, 'examples', 'hello.js');

const healthOf = (port) => [
  ...['--watchdog', '30s', '--ready-probe', `http://:${port}/`, '--live-probe', `http://:${port}/`],
];

/** Starts `count` processes, hands on their port and home, and ends them. */
async function withApp(count, isWatched, act) {
  const home = createHome();
  const port = await freePort();
  const options = isWatched ? healthOf(port) : [];
  try {
    const start = [launcher, 'start', hello, '-i', String(count), ...options];
    execFileSync('taskset', ['-c', '0', ...start], { env: { ...home.env, PORT: String(port) } });
    return await act(port, home);
  } finally {
    home.dispose();
  }
}

/** Requests per second by wrk. */
function requestsPerSecond(port, seconds, ...headers) {
  const args = ['-c', '1', 'wrk', '-t1', '-c32', `-d${seconds}s`, ...headers, `http://127.0.0.1:${port}/`];
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(execFileSync('taskset', args, { encoding: 'utf8' }))[1]);
}

async function throughput(rounds = 7, seconds = 5) {
  const kinds = { kept: [], new: ['-H', 'Connection: close'] };
  const ratios = { kept: [], new: [] };
  for (let round = 0; round < Number(rounds); round += 1) {
    // In turn, and each of them first as often.
    const order = round % 2 === 0 ? [false, true] : [true, false];
    const rates = new Map();
    for (const isWatched of order) {
      const measure = (port) =>
        Object.entries(kinds).map(([kind, headers]) => [kind, requestsPerSecond(port, seconds, ...headers)]);
      rates.set(isWatched, Object.fromEntries(await withApp(2, isWatched, measure)));
    }
    for (const kind of Object.keys(kinds)) ratios[kind].push(rates.get(true)[kind] / rates.get(false)[kind]);
  }
  printTable(
    `requests per second with watchdog and probes, as a share of those without, ${rounds} pairs of ${seconds} s`,
    [
      ['connections', 'median', 'least', 'most'],
      ...Object.entries(ratios).map(([kind, all]) => [
        kind,
        ...[median(all), Math.min(...all), Math.max(...all)].map((one) => one.toFixed(3)),
      ]),
    ],
  );
}

async function idle(processes = 100, seconds = 60) {
  const rows = [['', 'daemon', 'apps', 'both']];
  for (const isWatched of [false, true, false, true]) {
    const { daemon, apps } = await withApp(Number(processes), isWatched, async (_port, home) => {
      await sleep(20_000);
      const pids = JSON.parse(home.nsv('list', '--json')).map(({ pid }) => pid);
      await sleep(5_000);
      const sum = () => pids.reduce((total, pid) => total + cpuTime(pid), 0);
      const before = [cpuTime(home.daemonPid()), sum()];
      await sleep(Number(seconds) * 1_000);
      return { daemon: cpuTime(home.daemonPid()) - before[0], apps: sum() - before[1] };
    });
    const percent = (ms) => `${(ms / (10 * Number(seconds))).toFixed(3)} %`;
    rows.push([isWatched ? 'watchdog 30s, probes' : 'neither', percent(daemon), percent(apps), percent(daemon + apps)]);
  }
  printTable(`${processes} idle processes, ${seconds} s: share of one core`, rows);
}

const acts = { throughput, idle };
await acts[act](...words);
