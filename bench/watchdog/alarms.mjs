// What looks blocked and is not. Each alarm has a home of its own; `--watchdog 2s`.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHome, freePort } from '../measure.mjs';
import { app } from './app.mjs';
import { pauseByDebugger } from './debugger.mjs';

const signal = (pids, name) => {
  for (const pid of pids) process.kill(pid, name);
};

async function stopFor(pids, ms) {
  signal(pids, 'SIGSTOP');
  await sleep(ms);
  signal(pids, 'SIGCONT');
}

/** Runs processes that use all the CPU they can get. */
async function crowded(count, act) {
  const crowd = Array.from({ length: count }, () => spawn('sh', ['-c', 'while :; do :; done']));
  try {
    await act(crowd.map(({ pid }) => pid));
  } finally {
    for (const each of crowd) each.kill('SIGKILL');
  }
}

/** For all threads. It gets a CPU only when nobody else wants it. */
function makeIdle(pid) {
  if (spawnSync('chrt', ['-a', '-i', '-p', '0', String(pid)]).status !== 0) throw new Error('needs chrt');
}

/** Has the processes in a cgroup of their own with this setting, where cgroups can be changed. */
async function inCgroup(controller, pids, { v1, v2 }, act) {
  const [own, file, value] = existsSync(`/sys/fs/cgroup/${controller}`) ? [`/${controller}`, ...v1] : ['', ...v2];
  const root = `/sys/fs/cgroup${own}`;
  if (!existsSync(join(root, 'cgroup.procs'))) throw new Error('needs cgroups');
  const group = join(root, 'nsv-bench');
  const move = (to) => {
    for (const pid of pids) writeFileSync(join(to, 'cgroup.procs'), String(pid));
  };
  mkdirSync(group);
  try {
    move(group);
    await act((text = value) => writeFileSync(join(group, file), text));
  } finally {
    move(root);
    rmdirSync(group);
  }
}

const cpuLimit = { v1: ['cpu.cfs_quota_us', '5000'], v2: ['cpu.max', '5000 100000'] };
const freeze = { v1: ['freezer.state', 'FROZEN'], v2: ['cgroup.freeze', '1'] };

const get = (port, path) =>
  new Promise((resolve) => http.get({ port, path, agent: false }, (response) => response.resume().on('end', resolve)));
/** Keeps the app from idling. */
async function visit(port, ms) {
  const answers = [];
  for (const end = Date.now() + ms; Date.now() < end; await sleep(20)) answers.push(get(port, '/'));
  await Promise.all(answers);
}

/** `words` for the start, `env` of the app, and what happens then. */
const alarms = {
  'stopped by a signal, continued after 10 s': { act: ({ pids }) => stopFor([pids[0]], 10_000) },
  'paused by a debugger for 6 s': {
    words: ['--node-args', '--inspect=127.0.0.1:0'],
    async act({ home }) {
      const release = await pauseByDebugger(join(home.home, 'logs', 'web-0-err.log'));
      await sleep(6_000);
      release();
    },
  },
  '30 busy processes beside it, for 20 s, with requests': { act: ({ port }) => crowded(30, () => visit(port, 20_000)) },
  '30 busy processes, all stopped for a minute': {
    act: ({ pids, daemon }) => crowded(30, (crowd) => stopFor([...crowd, daemon, ...pids], 60_000)),
  },
  'a collection of garbage of more than a second': {
    words: ['--node-args', '--expose-gc --max-old-space-size=6000'],
    async act({ port, output }) {
      await get(port, '/collect');
      while (!output().includes('collected')) await sleep(100);
      console.log(`  ${/collected.*/.exec(output())}`);
    },
  },
  'a synchronous task of 1.5 s, ten times': {
    async act({ port }) {
      for (let time = 0; time < 10; time += 1) {
        await get(port, '/busy');
        await sleep(1_600);
      }
    },
  },
  'the daemon is stopped for 10 s': {
    act: ({ daemon, port }) => Promise.all([stopFor([daemon], 10_000), visit(port, 10_000)]),
  },
  'the daemon and the apps are stopped for 20 s, as when a laptop sleeps': {
    act: ({ daemon, pids }) => stopFor([daemon, ...pids], 20_000),
  },
  '200 MB of output': { act: ({ port }) => Promise.all([get(port, '/print'), get(port, '/print'), sleep(6_000)]) },
  'a synchronous start of 6 s': { env: { SLOW_START: '6000' }, act: () => sleep(1_000) },
  'no CPU but what 8 others leave, for 15 s, with requests': {
    async act({ pids, port }) {
      for (const pid of pids) makeIdle(pid);
      await crowded(8, () => visit(port, 15_000));
    },
  },
  'a limit of 5 % of a CPU for 15 s, with requests': {
    act: ({ pids, port }) =>
      inCgroup('cpu', pids, cpuLimit, async (set) => {
        set();
        await visit(port, 15_000);
      }),
  },
  'a frozen cgroup, for 10 s': {
    act: ({ pids }) =>
      inCgroup('freezer', pids, freeze, async (set) => {
        set();
        await sleep(10_000);
        set(existsSync('/sys/fs/cgroup/freezer') ? 'THAWED' : '0');
      }),
  },
};

export async function run(only = '') {
  for (const [what, { words = [], env = {}, act }] of Object.entries(alarms)) {
    if (!what.includes(only)) continue;
    const home = createHome();
    const port = await freePort();
    Object.assign(home.env, env, { PORT: String(port) });
    const pidsNow = () => JSON.parse(home.nsv('list', '--json')).map(({ pid }) => pid);
    const read = (file) => readFileSync(join(home.home, file), 'utf8');
    const output = () => ['logs/web-0-out.log', 'logs/web-1-out.log'].map(read).join('');
    try {
      home.nsv('start', app(home), '--name', 'web', '-i', '2', '--watchdog', '2s', '--listen-timeout', '60s', ...words);
      const pids = pidsNow();
      await sleep(1_000);
      const result = await act({ home, port, pids, daemon: home.daemonPid(), output }).then(
        () => undefined,
        (error) => `not tried: ${error.message}`,
      );
      await sleep(4_000);
      const log = read('daemon.log');
      const isSame = pidsNow().join() === pids.join() && !log.includes('"replace"');
      console.log(`${result ?? (isSame ? 'left alone' : 'REPLACED  ')}  ${what}`);
      for (const line of log.matchAll(/"msg":"(process \d+ has not turned.*?)"/g)) console.log(`  ${line[1]}`);
      if (!isSame) process.exitCode = 1;
    } finally {
      home.dispose();
    }
  }
}
