// Requests per second and p99 with a new connection per request: nsv beside bare node and node:cluster, in turn.
// Servers have one CPU and the load generator another. Where they share them, Linux's autogroups (sched(7)) give each
// session the same time: then each process of nsv, in a session of its own, takes more of it from the load generator than
// all workers of a cluster together, and the figures tell of the scheduler only.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { underNode, underNsv } from './contestants.mjs';
import { cpuTicks, median, printTable, root } from './measure.mjs';

// node bench/throughput.mjs [rounds] [seconds] [names of contestants ...]
const [rounds = 5, seconds = 3] = process.argv.slice(2, 4).map(Number);
const wanted = process.argv.slice(4);
const workers = 2;
const servers = '0';

/** Runs the load generator; `supervisor` is the process whose CPU time counts. */
async function load(port, supervisor) {
  const before = cpuTicks(supervisor);
  const args = ['-c', '1', process.execPath, join(root, 'bench', 'connections.mjs'), String(port), String(seconds)];
  const client = spawn('taskset', args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const result = await new Promise((resolve, reject) => {
    client.once('message', resolve);
    client.once('exit', (code) => reject(new Error(`the load generator ended with ${code}`)));
  });
  return { ...result, ticks: cpuTicks(supervisor) - before };
}

const contestants = {
  'node, one process': () => underNode(undefined, 1, servers, load),
  'cluster round-robin': () => underNode('rr', workers, servers, load),
  'cluster SCHED_NONE': () => underNode('none', workers, servers, load),
  'nsv kernel': () => underNsv('kernel', workers, servers, load),
  'nsv rr': () => underNsv('rr', workers, servers, load),
};
const [major, minor] = process.versions.node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 12))
  contestants['nsv reuseport'] = () => underNsv('reuseport', workers, servers, load);

const running = Object.entries(contestants).filter(([name]) => wanted.length === 0 || wanted.includes(name));
const results = Object.fromEntries(running.map(([name]) => [name, []]));
for (let round = 0; round < rounds; round += 1) {
  for (const [name, run] of running) results[name].push(await run());
}
printTable(`new connection per request, ${workers} workers, median of ${rounds} runs of ${seconds} s`, [
  ['', 'requests/s', 'p99 ms', 'supervisor CPU ticks', 'failed'],
  ...Object.entries(results).map(([name, runs]) => [
    name,
    ...['rate', 'p99', 'ticks', 'failed'].map((key) => Math.round(median(runs.map((run) => run[key])) * 10) / 10),
  ]),
]);
