// The socket on which processes reconnect after their daemon has died.
import { rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import type { UpMessage } from '../../ipc/worker-messages.ts';
import type { Handle } from '../../os/handle.ts';
import { listenPrivately } from '../../os/socket-file.ts';
import { realClock } from '../../shared/clock.ts';
import { type Channel, channelOn, DirectChannel } from './channel.ts';

/** Milliseconds for a new connection to identify itself. */
const patience = 5_000;

/**
 * Calls `returned` with the channel of each process that identifies itself; if it returns false, the channel is closed.
 * Only the owner of the home can connect, because other users cannot access the home.
 */
export async function openWorkerSocket(
  file: string,
  returned: (mark: string, pid: number, channel: Channel) => boolean,
): Promise<void> {
  rmSync(file, { force: true });
  const server = createServer({ pauseOnConnect: true }, (socket) => receive(socket, returned));
  server.unref();
  server.on('error', () => {});
  await listenPrivately(server, file);
}

function receive(socket: Socket, returned: (mark: string, pid: number, channel: Channel) => boolean): void {
  const channel = new DirectChannel(channelOn(descriptorOf(socket)), {
    message(message, internal, handle) {
      cancel();
      handle?.close();
      const back = internal ? (message as UpMessage) : undefined;
      if (back?.type !== 'back' || !returned(back.mark, back.pid, channel)) channel.close();
    },
    cutOff: () => cancel(),
  });
  const cancel = realClock.after(patience, () => channel.close());
  channel.onceClosed(cancel);
}

/**
 * Takes the descriptor from a socket. Node can receive descriptors only on a pipe opened for that purpose, so a new
 * pipe is opened on the same descriptor. The old handle must never be closed, because its number may belong to another
 * file by then. It leaks a few hundred bytes per adopted process.
 */
export function descriptorOf(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle: Handle };
  Reflect.set(socket, '_handle', null);
  return handle.fd;
}
