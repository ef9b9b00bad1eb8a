// Loads the preload into the workers of an app's own cluster, so that they drain.
import { join } from 'node:path';
import { clusterVariable } from '../../ipc/worker-messages.ts';
import { type Fork, watchClusterForks } from '../node-processes.ts';
import { addDelegate } from './delegates.ts';
import { delegateMarker, type FromDelegate, isForDelegates } from './messages.ts';

export function watchCluster(): void {
  watchClusterForks(join(import.meta.dirname, 'preload.js'), clusterVariable, adopt);
}

function adopt(fork: Fork): void {
  const send = fork.send?.bind(fork);
  const delegate = addDelegate((message) => {
    if (fork.connected) send?.({ cmd: delegateMarker, ...message }, undefined, undefined, () => {});
  });
  fork.on('internalMessage', (message) => {
    if (isForDelegates(message)) delegate.hear(message as FromDelegate);
  });
  // A worker that disconnects has closed its servers.
  for (const event of ['exit', 'disconnect'] as const) fork.once(event, delegate.remove);
}
