// The socket on which processes reconnect after their daemon has died.
import { rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { type Channel, DirectChannel, descriptorOf } from '../../channels/channel.ts';
import { channelOn } from '../../channels/node-channel.ts';
import type { UpMessage } from '../../ipc/worker-messages.ts';
import { listenPrivately } from '../../os/socket-file.ts';
import { realClock } from '../../shared/clock.ts';

/** Milliseconds for a new connection to identify itself. */
const timeout = 5_000;

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
      if (back?.type !== 'reconnected' || !returned(back.mark, back.pid, channel)) channel.close();
    },
    cutOff: () => cancel(),
  });
  const cancel = realClock.after(timeout, () => channel.close());
  channel.onceClosed(cancel);
}
