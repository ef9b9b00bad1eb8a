// Where processes report whose daemon has died.
import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import type { Handle } from '../../os/handle.ts';
import { listenPrivately } from '../../os/socket-file.ts';
import { realClock } from '../../shared/clock.ts';
import { channelOn, isOurs } from './channel.ts';

/** Milliseconds in which whoever connects must say who it is. */
const patience = 5_000;

/**
 * `returned` is called with the channel of each process that says who it is; false turns it away. Only the user of the home
 * can connect: the home is closed to others.
 */
export async function openWorkerSocket(
  file: string,
  returned: (mark: string, pid: number, channel: ChildProcess) => boolean,
): Promise<void> {
  rmSync(file, { force: true });
  const server = createServer({ pauseOnConnect: true }, (socket) => receive(socket, returned));
  server.unref();
  server.on('error', () => {});
  await listenPrivately(server, file);
}

function receive(socket: Socket, returned: (mark: string, pid: number, channel: ChildProcess) => boolean): void {
  const channel = channelOn(descriptorOf(socket));
  const cancel = realClock.after(patience, () => channel.disconnect());
  channel.once('disconnect', cancel);
  channel.once('internalMessage', (message: unknown) => {
    cancel();
    const isKnown = isOurs(message) && message.type === 'back';
    if (!isKnown || !returned(String(message.mark), Number(message.pid), channel)) channel.disconnect();
  });
}

/**
 * Descriptors travel only over a pipe that was made for it, and an accepted one is not: so another one is opened on its
 * descriptor. This one must never be closed, because by then the number may be that of another file: it is forgotten, and
 * lies there, some hundred bytes for each process that was adopted.
 */
function descriptorOf(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle: Handle };
  Reflect.set(socket, '_handle', null);
  return handle.fd;
}
