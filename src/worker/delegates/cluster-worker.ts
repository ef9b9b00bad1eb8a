// The preload in a worker of the app's own cluster. It watches the servers, and drains them when the primary has to
// leave. Sockets, readiness and errors are up to the app's cluster, as under plain Node.
import { routeThrough } from '../channel.ts';
import { interceptGetServer, sharedPolicy } from '../node-processes.ts';
import { bindAddressOf, interceptListen } from '../sockets/listen.ts';
import { leaveDelegate } from './leave.ts';
import { delegateMarker, type FromWorker, isForDelegates, type ToWorker, type WithMarker } from './messages.ts';

type Send = (message: WithMarker<FromWorker>, handle: undefined, options: undefined, done: () => void) => boolean;

/** Saved, because an app may wrap it to see its own messages. */
const send = process.send?.bind(process) as Send | undefined;

const waiting = new Map<number, () => void>();
let lastSeq = 0;

/** `policy`: how the workers of the cluster share sockets. */
export function joinCluster(policy: string): void {
  routeThrough({
    hasSockets: false,
    send(message) {
      if (message.type === 'in-flight' || message.type === 'only-idle-left') sendToPrimary(message);
    },
  });
  interceptListen();
  process.on('internalMessage' as 'message', (message) => {
    if (isForDelegates(message)) onPrimaryMessage(message as ToWorker);
  });
  if (policy !== sharedPolicy) return;
  interceptGetServer(({ address, port, addressType, fd, flags }, proceed) => {
    const isServer = typeof addressType === 'number' && port !== 0;
    const place = isServer
      ? bindAddressOf([address, port, addressType, 0, fd >= 0 ? fd : undefined, flags])
      : undefined;
    if (place) {
      lastSeq += 1;
      waiting.set(lastSeq, proceed);
      sendToPrimary({ type: 'prepare', seq: lastSeq, place });
    } else proceed();
  });
}

function onPrimaryMessage(message: ToWorker): void {
  if (message.type === 'prepared') {
    waiting.get(message.seq)?.();
    waiting.delete(message.seq);
  } else leaveDelegate(message, sendToPrimary);
}

function sendToPrimary(message: FromWorker): void {
  if (process.connected) send?.({ cmd: delegateMarker, ...message }, undefined, undefined, () => {});
}
