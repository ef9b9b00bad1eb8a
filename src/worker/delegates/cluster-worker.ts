// The preload in a worker of the app's own cluster. It watches the servers, and drains them when the primary has to
// leave. Sockets, readiness and errors are up to the app's cluster, as under plain Node.
import { divert } from '../channel.ts';
import { interceptListen } from '../sockets/listen.ts';
import { leave } from './leave.ts';
import { delegateMarker, type FromDelegate, isForDelegates, type ToDelegate, type WithMarker } from './messages.ts';

type Send = (message: WithMarker<FromDelegate>, handle: undefined, options: undefined, done: () => void) => boolean;

/** Saved, because an app may wrap it to see its own messages. */
const send = process.send?.bind(process) as Send | undefined;

export function joinCluster(): void {
  divert({
    asks: false,
    tell(message) {
      if (message.type === 'in-flight') tell(message);
    },
  });
  interceptListen();
  process.on('internalMessage' as 'message', (message) => {
    if (isForDelegates(message)) leave(message as ToDelegate, tell);
  });
}

function tell(message: FromDelegate): void {
  if (process.connected) send?.({ cmd: delegateMarker, ...message }, undefined, undefined, () => {});
}
