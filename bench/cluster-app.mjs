// node cluster-app.mjs <app> <workers> <rr|none>: the same app under node:cluster.
import cluster from 'node:cluster';

const [app, workers, policy] = process.argv.slice(2);
cluster.schedulingPolicy = policy === 'rr' ? cluster.SCHED_RR : cluster.SCHED_NONE;
cluster.setupPrimary({ exec: app, args: [], silent: true });
let listening = 0;
cluster.on('listening', () => {
  listening += 1;
  if (listening === Number(workers)) console.log('ready');
});
for (let worker = 0; worker < Number(workers); worker += 1) cluster.fork();
process.on('SIGTERM', () => {
  for (const { process: child } of Object.values(cluster.workers)) child.kill('SIGKILL');
  process.exit(0);
});
