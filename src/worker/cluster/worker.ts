// The preload in a worker of the app's own cluster. It watches the servers, and drains them when the primary has to
// leave. Sockets, readiness and errors are up to the app's cluster, as under plain Node.
import { divert } from '../channel.ts';
import { answerFirst, assist, connectionsPassedOn, drain } from '../drain.ts';
import { interceptListen } from '../sockets/listen.ts';
import { clusterMarker, isClusterMessage, type ToPrimary, type ToWorker } from './messages.ts';

type Send = (message: ToPrimary, handle: undefined, options: undefined, done: () => void) => boolean;

/** Saved, because an app may wrap it to see its own messages. */
const send = process.send?.bind(process) as Send | undefined;

let isDraining = false;
let passedBefore: number | undefined;

export function joinCluster(): void {
  divert((message) => {
    if (message.type === 'in-flight') tell({ cmd: clusterMarker, type: 'in-flight', count: message.count });
  });
  interceptListen();
  process.on('internalMessage' as 'message', (message) => {
    if (isClusterMessage(message)) leave(message as ToWorker);
  });
}

function leave({ patience }: ToWorker): void {
  if (isDraining) return;
  isDraining = true;
  const done = () => {
    isDraining = false;
    const passed = connectionsPassedOn();
    tell({ cmd: clusterMarker, type: 'drained', sure: passed === passedBefore });
    passedBefore = passed;
    // The app's own handlers decide from here.
    if (patience !== null) assist();
  };
  if (patience === null) drain(done);
  else answerFirst(patience, done);
}

function tell(message: ToPrimary): void {
  if (process.connected) send?.(message, undefined, undefined, () => {});
}
