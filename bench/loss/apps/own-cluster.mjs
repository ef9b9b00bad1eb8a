// Forks its own workers with node:cluster, as many guides have it, and replaces those that die.
import cluster from 'node:cluster';

if (cluster.isPrimary) {
  for (let count = 0; count < 2; count += 1) cluster.fork();
  cluster.on('exit', ({ exitedAfterDisconnect }) => {
    if (!exitedAfterDisconnect) cluster.fork();
  });
} else {
  await import('./http.mjs');
}
