// What processes say about connections that another process may have (ways/spread.ts).
import type { SpreadUp } from '../../ipc/spread-messages.ts';
import { type DownMessage, marker, type UpMessage } from '../../ipc/worker-messages.ts';
import type { Handle } from '../../os/sockets/node-handles.ts';
import type { Child } from '../launch/launcher.ts';
import type { HeldSocket } from './held-socket.ts';

type SpreadMessage = Extract<UpMessage, SpreadUp>;

export function isSpreadMessage(message: UpMessage): message is SpreadMessage {
  return ['offer', 'pass-on', 'counted'].includes(message.type);
}

/** `socket`: of the key in the message; undefined if it is closed. `client`: the connection that was sent. */
export function spread(socket: HeldSocket | undefined, child: Child, message: SpreadMessage, client?: Handle): void {
  const { type } = message;
  if (type === 'counted') socket?.counted?.(child, message.open);
  else if (type === 'offer' && socket?.offered) socket.offered(child, message);
  else if (type === 'pass-on' && client && socket?.passed) socket.passed(child, message.seq, client);
  else {
    // The process has it: the socket is closed, or the system has dropped it, as the daemon has no descriptors left.
    client?.close();
    child.send({ cmd: marker, type: 'offer-answered', seq: message.seq, isWanted: false } satisfies DownMessage);
  }
}
