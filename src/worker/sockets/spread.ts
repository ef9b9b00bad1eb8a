// Spreads connections that last evenly over the processes that accept them. Those that come fast are shared by taking turns (burst.ts).
// One that comes alone is offered to the others, through the daemon (daemon/sockets/ways/spread.ts).
//
// Nothing is read from the connection that is on offer: its data wait for the process that gets it. This process serves it itself if
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
import { stepAside } from './accept-queue.ts';
import { Burst } from './burst.ts';
import { HandedOver } from './handed-over.ts';
import { acceptConnection, handleKeyOf, isHandedOver } from './handles.ts';
import { Lasting } from './lasting.ts';

type SpreadMessage = Extract<DownMessage, SpreadDown | { type: 'connection' }>;

/** Saved, because an app may replace them, for example with fake timers. */
const { setTimeout, clearTimeout } = globalThis;

/** Milliseconds for which a connection may wait. On a machine with too much to do, an uneven spread is better than a long wait. */
const patience = 100;

/** A listening socket that others share. */
class Share {
  readonly key: string;
  /** Number of other processes that accept there, too. */
  others = 0;
  readonly #server: NodeServer;
  readonly #handle: NodeServerHandle;
  readonly #accept: NodeServerHandle['onconnection'];
  readonly #lasting = new Lasting();
  readonly #burst = new Burst();

  constructor(key: string, server: NodeServer, handle: NodeServerHandle) {
    this.key = key;
    this.#server = server;
    this.#handle = handle;
    this.#accept = handle.onconnection;
    handle.onconnection = (errno, client) => {
      if (errno !== 0 || this.others === 0) this.take(client, errno);
      else this.#takeOrOffer(client);
    };
  }

  isOf(handle: NodeServerHandle): boolean {
    return handle === this.#handle;
  }

  get open(): number {
    return connectionsOf(this.#server);
  }

  take(client: NodeHandle, errno = 0): void {
    this.#lasting.took();
    this.#accept?.call(this.#handle, errno, client);
  }

  #takeOrOffer(client: NodeHandle): void {
    const now = monotonicNow();
    if (!this.#lasting.areLong(now, this.open)) {
      this.take(client);
      return;
    }
    const pause = this.#burst.pauseAfter(now, this.others);
    if (pause > 0) stepAside(this.#handle, pause);
    if (!this.#burst.isOn && this.open > 0 && canOffer()) offer(this, client);
    else this.take(client);
  }
}

/** By the key of the socket. */
const shares = new Map<string, Share>();
/** The connection that is on offer, or on its way to another process. One at a time: what comes meanwhile is served here. */
let offered: { seq: number; share: Share; client: NodeHandle; timer: NodeJS.Timeout } | undefined;
let lastSeq = 0;
let isDaemonLate = false;
let unwatch: (() => void) | undefined;

onDaemonLost(beAlone);

/** Whether a connection is on offer, or on its way to another process. */
export function isPassingOn(): boolean {
  return offered !== undefined;
}

export function isAboutSpread(message: DownMessage): message is SpreadMessage {
  return ['connection', 'spread', 'count', 'offer-answered', 'passed-on'].includes(message.type);
}

export function onSpread(message: SpreadMessage, client: NodeHandle | undefined): void {
  isDaemonLate = false;
  if (message.type === 'connection') receive(message, client);
  else if (message.type === 'spread') noteOthers(message);
  else if (message.type === 'count')
    send({ type: 'counted', key: message.key, open: shareOf(message.key)?.open ?? null });
  else if (message.seq === offered?.seq) answered(message);
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
  send({ type: 'accepted', seq });
  share.take(client);
}

function noteOthers({ key, others }: { key: string; others: number }): void {
  const share = shareOf(key);
  if (share) share.others = others;
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
  return !offered && !isDaemonLate && isConnected() && !isWithoutDaemon();
}

function offer(share: Share, client: NodeHandle): void {
  lastSeq += 1;
  offered = { seq: lastSeq, share, client, timer: setTimeout(giveUp, patience) };
  unwatch = onceLost(beAlone);
  send({ type: 'offer', key: share.key, seq: lastSeq, open: share.open });
}

/** The daemon is busy, or hangs. */
function giveUp(): void {
  isDaemonLate = true;
  takeBack();
}

function answered(message: Extract<SpreadMessage, { type: 'offer-answered' | 'passed-on' }>): void {
  const { seq, share, client, timer } = offered!;
  clearTimeout(timer);
  if (message.type === 'passed-on') settle()?.client.close();
  else if (message.isWanted) send({ type: 'pass-on', key: share.key, seq }, client);
  else takeBack();
}

function takeBack(): void {
  const one = settle();
  one?.share.take(one.client);
}

/** Nothing is on offer any longer. Returns what was. */
function settle(): typeof offered {
  const one = offered;
  offered = undefined;
  clearTimeout(one?.timer);
  unwatch?.();
  unwatch = undefined;
  return one;
}

/** The daemon is gone, for good or until the next one. That says itself whether others accept. */
function beAlone(): void {
  for (const share of shares.values()) share.others = 0;
  takeBack();
}
