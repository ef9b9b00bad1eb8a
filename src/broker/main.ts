// A broker: reads the channels of all processes of one user, and passes on to the daemon what they may say. It
// may die by what it reads: then another one takes its place, and the processes connect to that one.
//
// Its arguments: the socket on which they connect again, or an empty text, and the number of the user.
import type { ChildProcess } from 'node:child_process';
import { chownSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { type ParsedMessage, parseChannelMessage } from '../channels/channel.ts';
import { ChannelReader, closeFor } from '../channels/channel-reader.ts';
import { channelOn, pipeOf, sentHandles } from '../channels/node-channel.ts';
import type { ChannelNumber, FromBroker, ToBroker } from '../ipc/broker-messages.ts';
import { workerLimits } from '../ipc/limits.ts';
import type { UpMessage } from '../ipc/worker-messages.ts';
import { listenPrivately } from '../os/socket-file.ts';
import { type Handle, takeHandle } from '../os/sockets/node-handles.ts';
import { realClock } from '../shared/clock.ts';
import { limitStrangers } from './strangers.ts';

/** Bytes of what a connection may say before it has said who it is. */
const longestGreeting = 4 * 1024;

/** Bytes, and handles, that the daemon has not read. Beyond that, the broker reads nothing more. */
const mostBytes = 1024 * 1024;
const mostHandles = 64;

type Send = (message: FromBroker, handle: Handle | undefined, options: undefined, done: () => void) => boolean;

/** The channel to the daemon. */
class ToDaemon {
  readonly #send = process.send?.bind(process) as Send | undefined;
  readonly #pipe = pipeOf(process);

  get isBehind(): boolean {
    return (this.#pipe?.writeQueueSize ?? 0) > mostBytes || (sentHandles(process) ?? 0) > mostHandles;
  }

  /** Closes the handle when it was sent. */
  send(message: FromBroker, handle?: Handle): void {
    this.#send?.(message, handle, undefined, () => handle?.close());
  }
}

const [address = '', uid = ''] = process.argv.slice(2);
const daemon = new ToDaemon();
const workers = new Map<ChannelNumber, ChildProcess>();
const addStranger = limitStrangers(realClock);
let lastReturned = 0;

/** Reads a channel. `onMessage` returns false if the channel is to be closed. */
function read(
  handle: Handle,
  onMessage: (message: ParsedMessage) => boolean,
  cutOff: (reason: string) => void,
  longest = () => workerLimits.message,
): ChildProcess {
  const child = channelOn(handle.fd);
  closeTogether(child, handle);
  new ChannelReader<ParsedMessage>(child, {
    parse: parseChannelMessage,
    message: (parsed) => {
      if (!onMessage(parsed) && child.connected) child.disconnect();
    },
    cutOff,
    longest,
    isBehind: () => daemon.isBehind,
  });
  return child;
}

function join(worker: ChannelNumber, child: ChildProcess): void {
  workers.set(worker, child);
  child.once('disconnect', () => {
    workers.delete(worker);
    daemon.send({ type: 'closed', worker });
  });
}

function take(worker: ChannelNumber, handle: Handle): void {
  const child = read(
    handle,
    ({ message, internal, handle: sent }) => {
      daemon.send({ type: 'heard', worker, message, internal }, sent);
      return true;
    },
    (reason) => daemon.send({ type: 'channel-closed', worker, reason }),
  );
  join(worker, child);
}

/** A process that has lost its daemon or its broker. It says first who it is. */
function welcome(handle: Handle): void {
  let worker = 0;
  const child = read(
    handle,
    ({ message, internal, handle: sent }) => {
      if (worker !== 0) {
        daemon.send({ type: 'heard', worker, message, internal }, sent);
        return true;
      }
      known();
      sent?.close();
      const back = internal ? (message as UpMessage) : undefined;
      if (back?.type !== 'reconnected') return false;
      lastReturned -= 1;
      worker = lastReturned;
      join(worker, child);
      daemon.send({ type: 'reconnected', worker, mark: back.mark, pid: back.pid });
      return true;
    },
    (reason) => worker !== 0 && daemon.send({ type: 'channel-closed', worker, reason }),
    () => (worker === 0 ? longestGreeting : workerLimits.message),
  );
  const known = addStranger(() => child.connected && child.disconnect());
  child.once('disconnect', known);
}

function send({ worker, id, message }: Extract<ToBroker, { type: 'send' }>, handle: Handle | undefined): void {
  const child = workers.get(worker);
  const done = (error: Error | null) => {
    handle?.close();
    if (error) daemon.send({ type: 'unsent', worker, id });
  };
  if (!child?.connected) done(new Error('closed'));
  else child.send(message, handle as Parameters<ChildProcess['send']>[1], done);
}

function close({ worker, reason }: Extract<ToBroker, { type: 'close' }>): void {
  const child = workers.get(worker);
  if (!child?.connected) return;
  if (reason === undefined) child.disconnect();
  else closeFor(child, reason);
}

/**
 * Closes the handle under which a descriptor has arrived together with the channel that was opened on it: closing the
 * channel has just freed the number, and nothing else can have got it yet.
 */
function closeTogether(child: ChildProcess, handle: Handle): void {
  const pipe = pipeOf(child);
  if (!pipe) return;
  const { close } = pipe;
  pipe.close = (done) => {
    close.call(pipe, done);
    handle.close();
  };
}

async function listen(): Promise<void> {
  rmSync(address, { force: true });
  const server = createServer({ pauseOnConnect: true }, (socket) => welcome(takeHandle(socket)));
  server.on('error', () => {});
  await listenPrivately(server, address);
  // Its directory belongs to root alone, so this is the socket that was just made.
  if (Number(uid) !== process.getuid?.()) chownSync(address, Number(uid), 0);
}

// It ends with the daemon. A signal to all processes must not end it before the apps. Node does not report a closed channel as long
// as a handle that was sent is not acknowledged, which a dead daemon will not do; so the end of the input counts too.
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => {});
process.on('disconnect', () => process.exit(0));
process.stdin.on('close', () => process.exit(0)).resume();
process.on('message', (message: ToBroker, handle: unknown) => {
  if (message.type === 'take') take(message.worker, handle as Handle);
  if (message.type === 'send') send(message, handle as Handle | undefined);
  if (message.type === 'close') close(message);
});
if (address) listen().catch((error) => console.error(`nsv: no socket for the user ${uid}: ${String(error)}`));
