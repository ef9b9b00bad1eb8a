// Shares the sockets of the group with the threads of the app.
//
// Node cannot pass a handle to a thread, but a descriptor is valid in all of them. The thread opens it and is its owner:
// the handle under which it has arrived here is never closed, because its number may belong to another file by then. It
// leaks a few hundred bytes per `listen`.
import { fstatSync } from 'node:fs';
import { isConnected } from '../channel.ts';
import { openThreadChannel, type ThreadChannel } from '../node-processes.ts';
import type { NodeHandle, NodeServerHandle } from '../node-sockets.ts';
import { reportListening } from '../servers/servers.ts';
import { type BindAnswer, request } from '../sockets/grants.ts';
import { handleKeyOf } from '../sockets/handles.ts';
import { portInsteadOf } from '../sockets/listen-each.ts';
import { addDelegate, type Delegate } from './delegates.ts';
import type { FromThread, OverThreads, ToThread } from './messages.ts';

interface Thread {
  delegate: Delegate;
  /** By key. */
  sockets: Map<string, NodeHandle>;
  lastSeq: number;
}

const threads = new Map<number, Thread>();
/** The threads that have ended last. Something that they said may still arrive. */
const ended = new Set<number>();
const mostEnded = 1_000;
let channel: ThreadChannel<OverThreads> | undefined;

/** Does nothing until the app starts its first thread. */
export function hostThreads(): void {
  process.on('worker', (worker) => {
    const { threadId } = worker;
    worker.once('exit', () => end(threadId));
    if (channel) return;
    channel = openThreadChannel<OverThreads>((over) => {
      if (over.from !== 'main') onThreadMessage(over.from, over.message);
    });
    post(undefined, { type: 'here' });
  });
}

function post(to: number | undefined, message: ToThread): void {
  channel?.postMessage({ from: 'main', to, message });
}

function onThreadMessage(id: number, message: FromThread): void {
  if (message.type === 'ended') end(message.thread);
  if (ended.has(id)) return;
  const thread = threads.get(id) ?? addThread(id);
  if (message.type === 'bind') bind(id, thread, message);
  else if (message.type === 'listening') listening(id, thread, message);
  else if (message.type === 'closed') close(thread, message.key);
  else if (message.type !== 'ended') thread.delegate.onMessage(message);
}

function addThread(id: number): Thread {
  const thread = { delegate: addDelegate((message) => post(id, message)), sockets: new Map(), lastSeq: 0 };
  threads.set(id, thread);
  return thread;
}

function bind(id: number, thread: Thread, { seq, address }: Extract<FromThread, { type: 'bind' }>): void {
  // Repeated, because the thread did not know whether it was heard.
  if (seq <= thread.lastSeq) return;
  thread.lastSeq = seq;
  thread.delegate.onListen();
  if (!isConnected()) {
    post(id, { type: 'lost', seq });
    return;
  }
  let discard = () => {};
  const place = { ...address, ...(address.port && { port: portInsteadOf(address.port) }), direct: true };
  const give = (answer: BindAnswer<NodeServerHandle>) => {
    if (answer.type === 'granted' && ended.has(id)) discard();
    post(id, messageFor(thread, seq, answer));
  };
  request<NodeServerHandle>(place, give, {
    prepare(handle) {
      discard = disown(handle);
    },
  });
}

function messageFor(thread: Thread, seq: number, answer: BindAnswer<NodeServerHandle>): ToThread {
  if (answer.type === 'refused') return { type: 'refused', seq, errno: answer.errno, code: '' };
  const { fd = -1 } = answer.type === 'granted' ? (answer.handle as { fd?: number }) : {};
  // The daemon can only pass connections on, which does not reach a thread.
  if (answer.type === 'lost' || fd < 0) return { type: 'lost', seq };
  const key = handleKeyOf(answer.handle) ?? '';
  thread.sockets.set(key, answer.handle);
  return { type: 'granted', seq, key, fd };
}

/** Leaves the descriptor to a thread; returns what closes it nevertheless. */
function disown(handle: NodeHandle): () => void {
  const { fd } = handle as NodeHandle & { fd: number };
  const close = handle.close.bind(handle);
  const inode = inodeOf(fd);
  handle.close = () => {};
  handle.isOpen = () => inode !== undefined && inodeOf(fd) === inode;
  return close;
}

function inodeOf(fd: number): number | undefined {
  try {
    return fstatSync(fd).ino;
  } catch {
    return undefined;
  }
}

function listening(id: number, { sockets }: Thread, { key, address }: { key: string; address: string }): void {
  const known = sockets.get(key);
  // A socket that the thread has bound itself.
  const handle = known ?? { close() {} };
  sockets.set(key, handle);
  reportListening(handle, known ? key : `${key}|${id}`, address);
}

function close({ sockets }: Thread, key: string): void {
  const handle = sockets.get(key);
  sockets.delete(key);
  handle?.close();
}

function end(id: number): void {
  const thread = threads.get(id);
  ended.add(id);
  const [first] = ended;
  if (first !== undefined && ended.size > mostEnded) ended.delete(first);
  threads.delete(id);
  thread?.delegate.remove();
  for (const key of [...(thread?.sockets.keys() ?? [])]) if (thread) close(thread, key);
}
