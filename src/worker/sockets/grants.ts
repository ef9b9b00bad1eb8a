// Asks the daemon for sockets.
import { AsyncResource } from 'node:async_hooks';
import type { BindAddress, BindRequest, DownMessage } from '../../ipc/worker-messages.ts';
import { isAlone, onceAlone, onceLost, tell, whenBack } from '../channel.ts';
import { type NodeHandle, type NodeServerHandle, onClose } from '../node-internals.ts';
import { joinSockets, keep, keepHandedOver } from './handles.ts';

export type Reply = Extract<DownMessage, { type: 'granted' | 'refused' }>;

/** What became of a request. `lost`: the daemon is gone, and the app on its own. */
export type BindAnswer<H extends NodeHandle> =
  | { type: 'granted'; handle: H }
  | { type: 'refused'; errno: number }
  | { type: 'lost' };

/** Saved: an app may replace them, with fake timers for instance. */
const { setTimeout, clearTimeout } = globalThis;

/** Without a daemon for so long the app binds by itself. */
const alonePatience = 10_000;

interface Waiting {
  bindRequest: BindRequest;
  settle(reply: Reply, handle: NodeHandle | undefined): void;
}

const waiting = new Map<number, Waiting>();
const indexes = new Map<string, Set<number>>();
let lastSeq = 0;

whenBack(() => {
  for (const [seq, { bindRequest }] of waiting) tell({ type: 'wish', seq, wish: bindRequest });
});

/**
 * Asks for the socket of a place. `answered` is called once, later, in the async context of the caller; not at all
 * after a call of the returned function, which takes the request back as long as there is no answer.
 */
export function request<H extends NodeHandle>(
  place: BindAddress,
  answered: (answer: BindAnswer<H>) => void,
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
    waiting.delete(seq);
    answer({ type: 'lost' });
  });
  const bindRequest = { ...place, index };
  waiting.set(seq, {
    bindRequest,
    settle(reply, handle) {
      unwatch();
      answer(answerOf(reply, handle));
    },
  });
  tell({ type: 'wish', seq, wish: bindRequest });
  return () => {
    if (isAnswered) return;
    isWanted = false;
    free();
  };
}

/** A reply of the daemon. */
export function settle(reply: Reply, handle: NodeHandle | undefined): void {
  const wait = waiting.get(reply.seq);
  waiting.delete(reply.seq);
  if (wait) wait.settle(reply, handle);
  else if (!joinSockets(reply.seq, handle as NodeServerHandle | undefined)) handle?.close();
}

/** Calls `hopeless` when the channel is closed, or when the next daemon does not come; the returned function takes that back. */
function onceHopeless(hopeless: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const forget = [onceLost(() => end()), onceAlone(() => wait())];
  const wait = () => {
    timer ??= setTimeout(end, alonePatience);
  };
  const unwatch = () => {
    clearTimeout(timer);
    for (const each of forget) each();
  };
  const end = () => {
    unwatch();
    hopeless();
  };
  if (isAlone()) wait();
  return unwatch;
}

function answerOf<H extends NodeHandle>(reply: Reply, handle: NodeHandle | undefined): BindAnswer<H> {
  if (reply.type === 'refused') return reply;
  const { seq, key, way } = reply;
  if (way === 'rr') {
    const handedOver: NodeHandle = keepHandedOver(handle as NodeServerHandle | undefined, key, seq);
    return { type: 'granted', handle: handedOver as H };
  }
  // Without descriptors left, the system drops the handle on the way.
  return handle ? { type: 'granted', handle: keep(handle as H, key, seq) } : { type: 'lost' };
}

/** The lowest number that no other open socket of this process has for the same place: the same in every instance. */
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
