// The workers of a cluster of the app's own. They drain before the primary exits: Node ends them then.
//
// The primary passes connections on, so one may be on its way to a worker that has nothing left to do. By then the
// primary accepts no more, and gives a worker its next connection only when it has taken the last. So when the worker
// says twice that it is done, and none has come in between, none is waiting either.
import { join } from 'node:path';
import { clusterVariable } from '../../ipc/worker-messages.ts';
import { type Fork, watchClusterForks } from '../node-processes.ts';
import { clusterMarker, isClusterMessage, type ToPrimary, type ToWorker } from './messages.ts';

interface ClusterWorker {
  tell(message: Omit<ToWorker, 'cmd'>): void;
  state: 'serving' | 'draining' | 'drained';
  inFlight: number;
}

const workers = new Set<ClusterWorker>();
/** When requests should be answered; undefined to wait for all connections. */
let deadline: number | undefined;

/** Saved, because an app may replace it, for example with fake timers. */
const { performance } = globalThis;

/** Loads the preload into the workers of the app's cluster. */
export function watchCluster(): void {
  watchClusterForks(join(import.meta.dirname, 'preload.js'), clusterVariable, adopt);
}

function adopt(fork: Fork): void {
  const send = fork.send?.bind(fork);
  const worker: ClusterWorker = {
    tell: (message) =>
      void (fork.connected && send?.({ cmd: clusterMarker, ...message }, undefined, undefined, () => {})),
    state: 'serving',
    inFlight: 0,
  };
  workers.add(worker);
  fork.on('internalMessage', (message) => {
    if (isClusterMessage(message)) hear(worker, message as ToPrimary);
  });
  // A worker that disconnects has closed its servers.
  for (const event of ['exit', 'disconnect'] as const) fork.once(event, () => workers.delete(worker));
}

function hear(worker: ClusterWorker, message: ToPrimary): void {
  if (message.type === 'in-flight') worker.inFlight = message.count;
  else if (message.sure) worker.state = 'drained';
  else ask(worker);
}

function ask(worker: ClusterWorker): void {
  worker.state = 'draining';
  const patience = deadline === undefined ? null : Math.max(0, deadline - performance.now());
  worker.tell({ type: 'drain', patience });
}

/** Whether all workers are drained. Asks those that were not asked yet, also those that the app forks meanwhile. */
export function areWorkersDrained(until?: number): boolean {
  deadline = until;
  for (const worker of workers) if (worker.state === 'serving') ask(worker);
  return [...workers].every(({ state }) => state === 'drained');
}

/** Number of pending HTTP requests in the workers that drain. */
export function requestsInWorkers(): number {
  let count = 0;
  for (const { inFlight } of workers) count += inFlight;
  return count;
}
