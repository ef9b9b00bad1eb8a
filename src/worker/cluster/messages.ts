// Messages between the preload in the primary of an app's own cluster and that in its workers, over Node's channel
// between them. Node delivers them as 'internalMessage', which the app does not see.
export const clusterMarker = 'NODE_NSV_CLUSTER';

/** From the primary. `patience`: milliseconds in which requests are to be answered; null to wait for all connections. */
export type ToWorker = { cmd: typeof clusterMarker; type: 'drain'; patience: number | null };

/** `sure`: no connection has come from the primary since the last time. */
export type ToPrimary =
  | { cmd: typeof clusterMarker; type: 'drained'; sure: boolean }
  | { cmd: typeof clusterMarker; type: 'in-flight'; count: number };

export function isClusterMessage(message: unknown): message is ToWorker | ToPrimary {
  return typeof message === 'object' && message !== null && 'cmd' in message && message.cmd === clusterMarker;
}
