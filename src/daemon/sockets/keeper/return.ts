// A separate program, which a keeper becomes when its daemon has died: takes the sockets out of the IPC channel on which
// they wait, and passes them on to the next daemon. Its arguments are the socket of the next daemon, and the processes of the
// app that ran when the daemon died.
//
// Whatever becomes of the next daemon, it keeps the sockets until one says that it has its own keeper. While there is none,
// it lets go of them some seconds after the last process of the app has ended.
import type { Socket } from 'node:net';
import { keeperPrefix, keeperVariable, marker, type Released, type UpMessage } from '../../../ipc/worker-messages.ts';
import type { Handle } from '../../../os/handle.ts';
import { isSameProcess } from '../../../os/proc.ts';
import { dial } from '../../../os/socket-file.ts';
import { realClock as clock } from '../../../shared/clock.ts';
import { channelOn } from '../../channels/channel.ts';
import { descriptorOf } from '../../channels/worker-socket.ts';
import type { KeptSocket } from './keeper.ts';
import { readHandles } from './waiting-handles.ts';

/** Milliseconds between attempts to reach the next daemon, at first and at most. */
const firstPause = 20;
const longestPause = 500;
/** Milliseconds for which clients wait for the next daemon although nobody accepts: its guard starts it within one. */
const patience = 10_000;

type WithoutMarker<M> = M extends unknown ? Omit<M, 'cmd'> : never;

const [address = '', alive = ''] = process.argv.slice(2);
const token = process.env[keeperVariable] ?? '';
const processes = alive
  .split(' ')
  .filter(Boolean)
  .map((text) => {
    const [pid, startTime] = text.split(':').map(Number);
    return { pid: pid ?? 0, startTime: startTime ?? 0 };
  });
const kept: KeptSocket[] = [];
/** Node does not stay for a channel that it has not spawned, and the timers of nsv keep nothing alive. */
setInterval(() => {}, longestPause);
let pause = firstPause;
let servedAt = clock.now();

/** Standard input is a socket too, and serves no other purpose any more. */
readHandles(
  3,
  0,
  (text, handle) => {
    const { msg } = JSON.parse(text) as { msg: { key: string } };
    kept.push({ key: msg.key, handle });
  },
  // It never rejects.
  () => void look(),
);

async function look(): Promise<void> {
  if (processes.some(isSameProcess)) servedAt = clock.now();
  if (kept.length === 0 || clock.now() - servedAt > patience) process.exit(0);
  try {
    const socket = await dial(address, 0);
    // libuv opens no pipe on a descriptor that it polls.
    (socket as Socket & { _handle: { readStop(): void } })._handle.readStop();
    pass(descriptorOf(socket));
  } catch {
    lookLater();
  }
}

function lookLater(): void {
  clock.after(pause, () => void look()); // it never rejects
  pause = Math.min(pause * 2, longestPause);
}

function pass(fd: number): void {
  const channel = channelOn(fd);
  const tell = (message: WithoutMarker<UpMessage>, handle?: Handle) =>
    channel.send({ cmd: marker, ...message }, handle as unknown as Parameters<typeof channel.send>[1], () => {});
  channel.on('internalMessage', (message: Released) => {
    if (message.cmd === marker && message.type === 'released') process.exit(0);
  });
  channel.once('disconnect', lookLater);
  tell({ type: 'back', mark: `${keeperPrefix}${token}`, pid: process.pid });
  for (const { key, handle } of kept) tell({ type: 'held', key, way: 'handle', origin: key }, handle);
  tell({ type: 'returned' });
}
