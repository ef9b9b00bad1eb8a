// The same app under bare node, node:cluster and nsv, one after another.
import { execFileSync } from 'node:child_process';
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

function pinned(cpus, program, args) {
  return cpus === undefined ? [program, args] : ['taskset', ['-c', cpus, program, ...args]];
}
