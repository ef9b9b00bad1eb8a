// Requests sockets from the daemon.
import { AsyncResource } from 'node:async_hooks';
import type { BindAddress, BindRequest, DownMessage } from '../../ipc/worker-messages.ts';
import { isWithoutDaemon, onceLost, onDaemonLost, onReconnected, send } from '../channel.ts';
import { type NodeHandle, type NodeServerHandle, onClose } from '../node-sockets.ts';
import { keep, keepHandedOver } from './handles.ts';

export type Reply = Extract<DownMessage, { type: 'granted' | 'refused' | 'unshared' | 'in-own-way' }>;

/** The result of a request. `lost`: the app has to bind by itself, as the daemon is gone or says so. */
export type BindAnswer<H extends NodeHandle> =
  | { type: 'granted'; handle: H; isOut?: boolean | undefined }
  | { type: 'refused'; errno: number }
  | { type: 'lost' };

interface RequestOptions {
  /** Gets the handle as it has arrived. */
  prepare?(handle: NodeHandle): void;
  /** The app may only want to know whether the port is free. Called instead of `answered` if only other sockets of the app are in the way. */
  inOwnWay?(): void;
}

/** Saved, because an app may replace them, for example with fake timers. */
const { setTimeout, clearTimeout, setImmediate } = globalThis;

/** Milliseconds without a daemon after which the app binds by itself. */
const aloneTimeout = 10_000;

interface Waiting {
  bindRequest: { address: BindRequest; mayBeTest?: boolean };
  settle(reply: Reply | undefined, handle: NodeHandle | undefined): void;
}

const waiting = new Map<number, Waiting>();
const indexes = new Map<string, Set<number>>();
let lastSeq = 0;

onReconnected(() => {
  for (const [seq, { bindRequest }] of waiting) send({ type: 'bind', seq, ...bindRequest });
});

/**
 * Requests the socket for a place. `answered` is called once, asynchronously, in the async context of the caller. The
 * returned function cancels the request if there is no answer yet; then `answered` is not called.
 */
export function request<H extends NodeHandle>(
  place: Omit<BindRequest, 'index'>,
  answered: (answer: BindAnswer<H>) => void,
  { prepare, inOwnWay }: RequestOptions = {},
): () => void {
  lastSeq += 1;
  const seq = lastSeq;
  const { index, free } = takeIndex(place);
  let isWanted = true;
  let isAnswered = false;
  const answer = AsyncResource.bind((result: BindAnswer<H>) => {
    isAnswered = true;
    if (result.type === 'granted') onClose(result.handle, free);
    else free();
    if (isWanted) answered(result);
    else if (result.type === 'granted') result.handle.close();
  });
  const unwatch = onceHopeless(() => {
    forget(seq);
    answer({ type: 'lost' });
  });
  const bindRequest = { address: { ...place, index }, ...(inOwnWay && { mayBeTest: true }) };
  waiting.set(seq, {
    bindRequest,
    settle(reply, handle) {
      unwatch();
      if (reply?.type === 'in-own-way') {
        free();
        if (isWanted) inOwnWay?.();
        return;
      }
      if (handle) prepare?.(handle);
      answer(reply ? answerOf(reply, handle) : { type: 'lost' });
    },
  });
  send({ type: 'bind', seq, ...bindRequest });
  return () => {
    if (isAnswered) return;
    isWanted = false;
    free();
  };
}

const patient = new Set<() => void>();

/** Calls back after this turn of the event loop, and after the answers to all requests that have been made until then. */
export function onceNoneWaits(done: () => void): void {
  patient.add(done);
  setImmediate(callPatient);
}

function forget(seq: number): void {
  waiting.delete(seq);
  if (patient.size > 0) setImmediate(callPatient);
}

function callPatient(): void {
  if (waiting.size > 0) return;
  const all = [...patient];
  patient.clear();
  for (const done of all) done();
}

/** Handles a reply of the daemon. */
export function settle(reply: Reply, handle: NodeHandle | undefined): void {
  const wait = waiting.get(reply.seq);
  forget(reply.seq);
  if (wait) wait.settle(reply, handle);
  else handle?.close();
}

/** The socket cannot be had, so the app has to bind by itself. */
export function giveUp(seq: number): void {
  const wait = waiting.get(seq);
  forget(seq);
  wait?.settle(undefined, undefined);
}

/** Calls `hopeless` when the channel closes or no new daemon comes in time; the returned function unsubscribes. */
function onceHopeless(hopeless: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const forget = [onceLost(() => end()), onDaemonLost(() => wait())];
  const wait = () => {
    timer ??= setTimeout(end, aloneTimeout);
  };
  const unwatch = () => {
    clearTimeout(timer);
    for (const each of forget) each();
  };
  const end = () => {
    unwatch();
    hopeless();
  };
  if (isWithoutDaemon()) wait();
  return unwatch;
}

function answerOf<H extends NodeHandle>(reply: Reply, handle: NodeHandle | undefined): BindAnswer<H> {
  if (reply.type === 'refused') return reply;
  if (reply.type !== 'granted') return { type: 'lost' };
  const { seq, key, mode, isOut } = reply;
  if (mode === 'handed') {
    const handedOver: NodeHandle = keepHandedOver(handle as NodeServerHandle | undefined, key, seq);
    return { type: 'granted', handle: handedOver as H, isOut };
  }
  // The system drops the handle if the process has no descriptors left.
  return handle ? { type: 'granted', handle: keep(handle as H, key, seq), isOut } : { type: 'lost' };
}

/** The lowest number not used by another open socket for the same place. It is the same in every instance. */
function takeIndex({ kind, host, port, path, ipv6Only }: BindAddress): { index: number; free: () => void } {
  const place = [kind, host, port, path, ipv6Only].join('|');
  const taken = indexes.get(place) ?? new Set();
  indexes.set(place, taken);
  let index = 0;
  while (taken.has(index)) index += 1;
  taken.add(index);
  let isTaken = true;
  const free = () => {
    if (isTaken) taken.delete(index);
    isTaken = false;
  };
  return { index, free };
}
