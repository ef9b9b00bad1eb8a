// Loads the preload into the workers of an app's own cluster, so that they drain.
import { join } from 'node:path';
import { clusterVariable } from '../../ipc/worker-messages.ts';
import { asksForSocket, type Fork, watchClusterForks } from '../node-processes.ts';
import { addDelegate } from './delegates.ts';
import { delegateMarker, type FromWorker, isForDelegates, type ToWorker } from './messages.ts';
import { prepare } from './shared-handles.ts';

export function watchCluster(): void {
  watchClusterForks(join(import.meta.dirname, 'preload.js'), clusterVariable, adopt);
}

function adopt(fork: Fork): void {
  const send = fork.send?.bind(fork);
  const sendToWorker = (message: ToWorker) => {
    if (fork.connected) send?.({ cmd: delegateMarker, ...message }, undefined, undefined, () => {});
  };
  const delegate = addDelegate(sendToWorker);
  fork.on('internalMessage', (message) => {
    if (asksForSocket(message)) delegate.onListen();
    if (!isForDelegates(message)) return;
    const received = message as FromWorker;
    if (received.type !== 'prepare') delegate.onMessage(received);
    else prepare(received.place, () => sendToWorker({ type: 'prepared', seq: received.seq }));
  });
  // A worker that disconnects has closed its servers.
  for (const event of ['exit', 'disconnect'] as const) fork.once(event, delegate.remove);
}
