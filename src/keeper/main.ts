// A separate program, which a keeper becomes when its daemon has died: takes the sockets out of the IPC channel on which
// they wait, and passes them on to the next daemon. Its arguments are the socket of the next daemon, and the processes of
// each app that ran when the daemon died.
//
// Whatever becomes of the next daemon, it keeps the sockets until one says that it has its own keeper. While there is none,
// it lets go of those of an app some seconds after the app's last process has ended.
import { descriptorOf } from '../channels/channel.ts';
import { channelOn } from '../channels/node-channel.ts';
import { keeperMark, marker, type Released, type UpMessage } from '../ipc/worker-messages.ts';
import { type Identity, isSameProcess } from '../os/proc.ts';
import { dial } from '../os/socket-file.ts';
import { type Handle, handlePipe } from '../os/sockets/node-handles.ts';
import { realClock as clock } from '../shared/clock.ts';

/** Milliseconds between attempts to reach the next daemon, at first and at most. */
const firstPause = 20;
const longestPause = 500;
/** Milliseconds for which clients wait for the next daemon although nobody accepts: its guard starts it within one. */
const timeout = 10_000;
type WithoutMarker<M> = M extends unknown ? Omit<M, 'cmd'> : never;

const [address = '', alive = ''] = process.argv.slice(2);
const processes = new Map(Object.entries(JSON.parse(alive || '{}') as Record<string, Identity[]>));
/** When each app was last seen to have a process. */
const servedAt = new Map<string, number>();
let kept: { app: string; key: string; handle: Handle }[] = [];
/** Node does not stay for a channel that it has not spawned, and the timers of nsv keep nothing alive. */
setInterval(() => {}, longestPause);
let pause = firstPause;

/** Standard input is a socket too, and serves no other purpose any more. */
readHandles(3, 0, (text, handle) => {
  const { msg } = JSON.parse(text) as { msg: { app: string; key: string } };
  servedAt.set(msg.app, clock.now());
  kept.push({ ...msg, handle });
})
  .then(look)
  .catch(() => process.exit(1));

/**
 * Reads the handles that wait in one end of an IPC channel whose other end is closed. `other`: the descriptor of any Unix
 * socket. Node's own channel cannot do this: it fails to send the receipt for the first handle. On Node 20 and 22, libuv
 * moreover reports the end of a stream after the first of several messages with handles, if the other end is closed, and has
 * to be asked to read on.
 */
function readHandles(fd: number, other: number, read: (text: string, handle: Handle) => void): Promise<void> {
  const pipe = handlePipe(other);
  let hasRead = false;
  return new Promise((resolve) => {
    pipe.onread = (bytes) => {
      const handle = pipe.pendingHandle;
      pipe.pendingHandle = null;
      if (bytes && handle) read(Buffer.from(bytes).toString(), handle);
      if (bytes) {
        hasRead = true;
      } else if (hasRead) {
        hasRead = false;
        setImmediate(() => pipe.readStart());
      } else {
        pipe.close();
        resolve();
      }
    };
    if (pipe.open(fd) === 0) pipe.readStart();
    else resolve();
  });
}

async function look(): Promise<void> {
  dropUnserved();
  try {
    pass(descriptorOf(await dial(address, 0)));
  } catch {
    lookLater();
  }
}

function dropUnserved(): void {
  const now = clock.now();
  for (const app of servedAt.keys()) if (processes.get(app)?.some(isSameProcess)) servedAt.set(app, now);
  kept = kept.filter(({ app, handle }) => {
    const isServed = now - (servedAt.get(app) ?? 0) <= timeout;
    if (!isServed) handle.close();
    return isServed;
  });
  if (kept.length === 0) process.exit(0);
}

function lookLater(): void {
  clock.after(pause, () => void look()); // it never rejects
  pause = Math.min(pause * 2, longestPause);
}

function pass(fd: number): void {
  const channel = channelOn(fd);
  const send = (message: WithoutMarker<UpMessage>, handle?: Handle) =>
    channel.send({ cmd: marker, ...message }, handle as unknown as Parameters<typeof channel.send>[1], () => {});
  channel.on('internalMessage', (message: Released) => {
    if (message.cmd === marker && message.type === 'released') process.exit(0);
  });
  channel.once('disconnect', lookLater);
  send({ type: 'reconnected', mark: keeperMark, pid: process.pid });
  for (const { app, key, handle } of kept) send({ type: 'return-socket', key, mode: 'handle', origin: app }, handle);
  send({ type: 'sockets-returned' });
}
