// The preload in a thread. Its servers get their sockets through the main thread, and drain when that has to leave.
import { marker } from '../../ipc/worker-messages.ts';
import { type OutgoingMessage, routeThrough } from '../channel.ts';
import { handleOfDescriptor, openThreadChannel, type ThreadChannel, threadId } from '../node-processes.ts';
import { giveUp, settle } from '../sockets/grants.ts';
import { interceptListen } from '../sockets/listen.ts';
import { leaveDelegate } from './leave.ts';
import type { FromThread, OverThreads, ToThread } from './messages.ts';

/** What the main thread has not answered. */
const asked = new Map<number, FromThread>();
let channel: ThreadChannel<OverThreads> | undefined;
let id = 0;

export function joinThread(): void {
  routeThrough({ hasSockets: true, send: sendToHost });
  interceptListen();
  process.on('worker', (worker) => {
    const { threadId: thread } = worker;
    worker.once('exit', () => channel?.postMessage({ from: id, message: { type: 'ended', thread } }));
  });
}

function sendToHost(message: OutgoingMessage): void {
  if (message.type === 'bind') {
    const { seq, address } = message;
    asked.set(seq, { type: 'bind', seq, address });
    post({ type: 'bind', seq, address });
  } else if (isForHost(message)) post(message);
}

function isForHost(message: OutgoingMessage): message is Extract<OutgoingMessage, FromThread> {
  return ['listening', 'closed', 'in-flight', 'only-idle-left'].includes(message.type);
}

function post(message: FromThread): void {
  id ||= threadId();
  channel ??= openThreadChannel<OverThreads>((over) => {
    if (over.from === 'main' && (over.to ?? id) === id) onHostMessage(over.message);
  });
  channel.postMessage({ from: id, message });
}

function onHostMessage(message: ToThread): void {
  if (message.type === 'drain' || message.type === 'stop-keeping-idle') leaveDelegate(message, post);
  else if (message.type === 'here') for (const each of asked.values()) post(each);
  else if (asked.delete(message.seq)) answer(message);
}

function answer(message: Extract<ToThread, { seq: number }>): void {
  const { seq } = message;
  if (message.type === 'lost') giveUp(seq);
  else if (message.type === 'refused') settle({ cmd: marker, ...message }, undefined);
  else {
    const { key, fd } = message;
    settle({ cmd: marker, type: 'granted', seq, key, mode: 'handle' }, handleOfDescriptor(fd));
  }
}
