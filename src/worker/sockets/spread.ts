// Offers connections to other processes of the app, through the daemon, so that those that last are spread evenly
// (daemon/sockets/ways/spread.ts).
//
// Nothing is read from a connection that is on offer: its data wait for the process that gets it. This process serves it itself if
// the daemon does not answer soon. It keeps the descriptor of one that it passes on until another process has it, and serves it if
// the daemon dies before.
import type { SpreadDown } from '../../ipc/spread-messages.ts';
import type { DownMessage } from '../../ipc/worker-messages.ts';
import { isConnected, isWithoutDaemon, onceLost, onDaemonLost, send } from '../channel.ts';
import { monotonicNow } from '../clock.ts';
import {
  connectionsOf,
  handleIn,
  type NodeHandle,
  type NodeServer,
  type NodeServerHandle,
  onClose,
} from '../node-sockets.ts';
import { servers } from '../servers/servers.ts';
import { HandedOver } from './handed-over.ts';
import { acceptConnection, handleKeyOf, isHandedOver } from './handles.ts';
import { Lasting } from './lasting.ts';

type SpreadMessage = Extract<DownMessage, SpreadDown | { type: 'connection' }>;

/** Saved, because an app may replace them, for example with fake timers. */
const { setTimeout, clearTimeout } = globalThis;

/** Connections that wait for an offer to be answered. Further ones are served here. */
const mostWaiting = 64;
/** Milliseconds for which a connection may wait. On a machine with too much to do, an uneven spread is better than a long wait. */
const patience = 100;
/** Milliseconds for which it counts what the daemon has said about the others. */
const validity = 1_000;

/** A listening socket that others share. */
class Share {
  readonly key: string;
  /** Whether others accept there too. */
  isOn = false;
  readonly #server: NodeServer;
  readonly #handle: NodeServerHandle;
  readonly #accept: NodeServerHandle['onconnection'];
  readonly #lasting = new Lasting();
  /** While it has fewer connections, it offers none, until the time comes. */
  #keep = 1;
  #keepUntil = 0;

  constructor(key: string, server: NodeServer, handle: NodeServerHandle) {
    this.key = key;
    this.#server = server;
    this.#handle = handle;
    this.#accept = handle.onconnection;
    handle.onconnection = (errno, client) => {
      if (errno === 0 && this.isOn && this.open > 0 && this.#mayOffer() && canOffer()) offer(this, client);
      else this.take(client, errno);
    };
  }

  isOf(handle: NodeServerHandle): boolean {
    return handle === this.#handle;
  }

  get open(): number {
    return connectionsOf(this.#server);
  }

  /** Whether it has as many connections as the daemon wants it to have. */
  hasEnough(now = monotonicNow()): boolean {
    return this.open >= (now < this.#keepUntil ? this.#keep : 1);
  }

  take(client: NodeHandle, errno = 0): void {
    this.#lasting.took();
    this.#accept?.call(this.#handle, errno, client);
  }

  keep(count: number): void {
    this.#keep = count;
    this.#keepUntil = monotonicNow() + validity;
  }

  #mayOffer(): boolean {
    const now = monotonicNow();
    return this.hasEnough(now) && this.#lasting.areLong(now, this.open);
  }
}

interface Passing {
  share: Share;
  client: NodeHandle;
  /** When it was accepted, in monotonic milliseconds. */
  since: number;
}

/** By the key of the socket. */
const shares = new Map<string, Share>();
const waiting: Passing[] = [];
let offered: (Passing & { seq: number; timer: NodeJS.Timeout }) | undefined;
/** Connections that the daemon has been sent, by number. */
const sent = new Map<number, Passing>();
let lastSeq = 0;
let isDaemonLate = false;
let unwatch: (() => void) | undefined;

onDaemonLost(takeAll);

/** Whether a connection is on offer, or on its way to another process. */
export function isPassingOn(): boolean {
  return offered !== undefined || sent.size > 0;
}

export function isAboutSpread(message: DownMessage): message is SpreadMessage {
  return ['connection', 'spread', 'count', 'offer-answered', 'passed-on'].includes(message.type);
}

export function onSpread(message: SpreadMessage, client: NodeHandle | undefined): void {
  isDaemonLate = false;
  if (message.type === 'connection') receive(message, client);
  else if (message.type === 'spread') toggle(message);
  else if (message.type === 'count')
    send({ type: 'counted', key: message.key, open: shareOf(message.key)?.open ?? null });
  else if (message.type === 'offer-answered') answered(message);
  else concluded(message.seq);
}

/** Serves a connection that is meant for this very process, however many it has. */
export function serveHere(handle: NodeServerHandle, client: NodeHandle): void {
  const share = [...shares.values()].find((candidate) => candidate.isOf(handle));
  if (share) share.take(client);
  else handle.onconnection?.(0, client);
}

/** Takes a connection from the daemon: one that another process has passed on, or one that the daemon has accepted. */
function receive({ key, seq }: { key: string; seq: number }, client: NodeHandle | undefined): void {
  const share = isHandedOver(key) ? undefined : shareOf(key);
  if (!share || !client) {
    acceptConnection(key, seq, client);
    return;
  }
  send({ type: 'accepted', seq, open: share.open + 1 });
  share.take(client);
}

function toggle({ key, on }: { key: string; on: boolean }): void {
  const share = shareOf(key);
  if (share) share.isOn = on;
}

/** Undefined if the process has no such server, or one whose connections the daemon accepts or Node's cluster passes on. */
function shareOf(key: string): Share | undefined {
  const known = shares.get(key);
  if (known) return known;
  const server = [...servers].find((candidate) => {
    const handle = handleIn(candidate);
    return handle && !(handle instanceof HandedOver) && handleKeyOf(handle) === key;
  });
  const handle = server && handleIn(server);
  if (!server || !handle) return undefined;
  const share = new Share(key, server, handle);
  shares.set(key, share);
  onClose(handle, () => {
    if (shares.get(key) === share) shares.delete(key);
  });
  return share;
}

function canOffer(): boolean {
  return !isDaemonLate && waiting.length < mostWaiting && isConnected() && !isWithoutDaemon();
}

function offer(share: Share, client: NodeHandle): void {
  waiting.push({ share, client, since: monotonicNow() });
  unwatch ??= onceLost(takeAll);
  next();
}

/** Offers the next one, if there are enough here. One at a time, because the answer may be that it stays. */
function next(): void {
  while (!offered && waiting.length > 0) {
    const first = waiting.shift()!;
    if (first.share.hasEnough()) makeOffer(first);
    else first.share.take(first.client);
  }
  if (isPassingOn()) return;
  unwatch?.();
  unwatch = undefined;
}

function makeOffer(one: Passing): void {
  lastSeq += 1;
  const timer = setTimeout(giveUp, one.since + patience - monotonicNow());
  offered = { ...one, seq: lastSeq, timer };
  const { key, open } = one.share;
  send({ type: 'offer', key, seq: lastSeq, open, waiting: waiting.length });
}

function answered({ seq, isWanted, keep }: Extract<SpreadMessage, { type: 'offer-answered' }>): void {
  if (offered?.seq === seq) {
    const { timer, ...one } = offered;
    const { share, client } = one;
    clearTimeout(timer);
    offered = undefined;
    share.keep(keep);
    sent.set(seq, one);
    if (isWanted) send({ type: 'pass-on', key: share.key, seq }, client);
  }
  // The daemon may also say so of one that it was sent.
  if (!isWanted) takeBack(seq);
  next();
}

/** Another process has it. */
function concluded(seq: number): void {
  sent.get(seq)?.client.close();
  sent.delete(seq);
  next();
}

function takeBack(seq: number): void {
  const one = sent.get(seq);
  sent.delete(seq);
  one?.share.take(one.client);
}

/** The daemon is busy, or hangs. */
function giveUp(): void {
  if (!offered) return;
  const { seq, share } = offered;
  isDaemonLate = true;
  send({ type: 'taken-back', key: share.key, seq });
  takeOffered();
}

function takeOffered(): void {
  const all = offered ? [offered, ...waiting] : [...waiting];
  clearTimeout(offered?.timer);
  offered = undefined;
  waiting.length = 0;
  for (const { share, client } of all) share.take(client);
  next();
}

/** The daemon is gone, for good or until the next one. That says itself whether others accept. */
function takeAll(): void {
  for (const share of shares.values()) share.isOn = false;
  for (const seq of [...sent.keys()]) takeBack(seq);
  takeOffered();
}
