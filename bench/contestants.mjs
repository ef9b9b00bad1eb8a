// The same app under bare node, node:cluster and nsv, one after another.
import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createHome, freePort, launcher, root, startReady } from './measure.mjs';

const hello = join(root, 'examples', 'hello.js');
const clusterApp = join(root, 'bench', 'cluster-app.mjs');

/**
 * Runs `job` with the port of the app and the pid of what supervises it. `policy`: `rr` or `none`, of node:cluster; undefined for one
 * process of node. `cpus`: those that the processes may use, as for taskset; all by default.
 */
export async function underNode(policy, workers, cpus, job) {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port) };
  const args = policy ? [clusterApp, hello, String(workers), policy] : [hello];
  const child = await startReady(...pinned(cpus, process.execPath, args), { env });
  try {
    return await job(port, child.pid);
  } finally {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await gone;
  }
}

/** The same, for nsv with this `--schedule`. */
export async function underNsv(schedule, workers, cpus, job) {
  const home = createHome();
  const port = await freePort();
  home.env.PORT = String(port);
  try {
    const words = ['start', hello, '-i', String(workers), '--schedule', schedule];
    execFileSync(...pinned(cpus, launcher, words), { env: home.env });
    return await job(port, home.daemonPid());
  } finally {
    home.dispose();
  }
}

/**
 * Loads an app with a program of bench/ in a process of its own; resolves with what that sends at the end. It has a CPU of its own, and
 * the servers should have another: where they share them, Linux's autogroups (sched(7)) give each session the same time. Then each process
 * of nsv, in a session of its own, takes more of it from the load generator than all workers of a cluster together, and the figures tell
 * of the scheduler only.
 */
export function load(program, ...args) {
  const words = [join(root, 'bench', program), ...args.map(String)];
  const client = spawn(...pinned('1', process.execPath, words), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  return new Promise((resolve, reject) => {
    client.once('message', resolve);
    client.once('exit', (code) => reject(new Error(`the load generator ended with ${code}`)));
  });
}

/** The CPU of the servers while `load` loads them. */
export const serversCpu = '0';

function pinned(cpus, program, args) {
  return cpus === undefined ? [program, args] : ['taskset', ['-c', cpus, program, ...args]];
}
