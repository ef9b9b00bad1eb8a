// node cluster-primary.mjs <app> <workers> <disconnect|close>: what one writes by hand around node:cluster.
// Replaces a worker that dies; does over IPC what nsv does: reload, scale. `disconnect` retires a worker by
// worker.disconnect(), `close` by SIGTERM, upon which the app calls server.close(). Both kill it after 5 s.
import cluster from 'node:cluster';
import { once } from 'node:events';

const [app, workers, way] = process.argv.slice(2);
cluster.setupPrimary({ exec: app, args: [] });
let current = [];

const actions = {
  async start() {
    await grow(Number(workers));
  },
  async reload() {
    for (const old of [...current]) {
      await grow(1);
      await retire(old);
    }
  },
  async scale(count) {
    if (count > current.length) await grow(count - current.length);
    for (const old of current.slice(count)) await retire(old);
  },
  async pids() {
    return current.filter((worker) => worker.up).map((worker) => worker.process.pid);
  },
};

async function grow(count) {
  await Promise.all(Array.from({ length: count }, () => once(fork(), 'listening')));
}

function fork() {
  const worker = cluster.fork();
  current.push(worker);
  worker.once('listening', () => {
    worker.up = true;
  });
  worker.once('exit', () => {
    current = current.filter((other) => other !== worker);
    if (!worker.retired) fork();
  });
  return worker;
}

async function retire(worker) {
  worker.retired = true;
  current = current.filter((other) => other !== worker);
  const gone = once(worker, 'exit');
  const timer = setTimeout(() => worker.process.kill('SIGKILL'), 5000);
  if (way === 'close') worker.process.kill('SIGTERM');
  else worker.disconnect();
  await gone;
  clearTimeout(timer);
}

process.on('message', async ({ id, action, argument }) => {
  process.send({ id, result: await actions[action](argument) });
});
process.on('disconnect', () => {
  for (const worker of Object.values(cluster.workers)) worker.process.kill('SIGKILL');
  process.exit(0);
});
