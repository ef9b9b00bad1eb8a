// Spreads connections that last evenly, where the processes accept by themselves. The kernel wakes all of them, and the first one
// accepts: of 64 connections that come one by one, an idle machine gives half to one process out of four.
//
// A process whose connections last, and which has one already (worker/sockets/spread.ts), offers the next one to the daemon. The
// daemon asks the others how many they have. If one has fewer, the daemon has the connection sent, and hands it over. Only a
// process whose event loop turns answers, so one that is blocked delays nobody. Where connections are short, none is offered: they
// do not pile up, and the kernel gives them to a process that is not busy.
import { type DownMessage, marker } from '../../../ipc/worker-messages.ts';
import type { Handle } from '../../../os/sockets/node-handles.ts';
import { type Clock, realClock } from '../../../shared/clock.ts';
import type { Child } from '../../launch/launcher.ts';
import type { Offer, SocketMember } from '../held-socket.ts';
import { HandOffs } from './hand-offs.ts';
import { Peer, patience } from './peer.ts';
import { noneWaits } from './waiting.ts';

/** A process may have this part more than the others before it offers connections. */
const tolerance = 1 / 8;

interface OfferOf extends Offer {
  from: Child;
}

export class Spread {
  readonly #key: string;
  readonly #clock: Clock;
  readonly #peers = new Map<Child, Peer>();
  readonly #handOffs: HandOffs;
  /** Connections that their process still has, and those that the daemon has; the oldest first. */
  #waiting: (OfferOf | Handle)[] = [];
  /** Connections that the daemon has asked for, with whom they are for, by the process that has them. */
  readonly #wanted = new Map<Child, { seq: number; peer: Peer }>();
  #isOn = false;
  #endPatience: (() => void) | undefined;

  /** `key`: of the socket. */
  constructor(key: string, clock = realClock) {
    this.#key = key;
    this.#clock = clock;
    this.#handOffs = new HandOffs(key, (client) => {
      this.#waiting.unshift(client);
      this.#distribute();
    });
  }

  /** Number of connections that are in no process. */
  get waiting(): number {
    return this.#waiting.filter((each) => !isOffer(each)).length;
  }

  joined(member: SocketMember): void {
    const { child } = member;
    if (this.#peers.has(child)) return;
    if (this.#isOn) this.#switch(child, true);
    this.#peers.set(child, new Peer(member, this.#clock));
    this.#changed();
  }

  leaving({ child }: SocketMember): void {
    this.#peers.delete(child);
    this.#changed();
  }

  left({ child }: SocketMember): void {
    this.#forget(child);
    this.#handOffs.left(child);
    this.#changed();
  }

  suspended({ child }: SocketMember): void {
    this.#suspend(child, true);
  }

  resumed({ child }: SocketMember): void {
    this.#suspend(child, false);
  }

  lost(child: Child): void {
    this.#forget(child);
    this.#handOffs.lost(child);
    this.#changed();
  }

  /** The process has accepted a connection that another may have. */
  offered(child: Child, offer: Offer): void {
    // It waits for the answer before it makes another.
    if (this.#waiting.some((each) => isOffer(each) && each.from === child)) return;
    // What they have said counts as long as connections follow each other: later, any of them may be blocked.
    if (this.#isQuiet) for (const peer of this.#peers.values()) peer.forget();
    this.#peers.get(child)?.told(offer.open);
    this.#waiting.push({ ...offer, from: child });
    this.#distribute();
  }

  /** The process has sent the connection, and serves it if the daemon dies before it has heard that another one has it. */
  passed(child: Child, seq: number, client: Handle): void {
    const peer = this.#unwant(child, seq);
    if (!peer) {
      client.close();
      this.#answer(child, seq, undefined);
      return;
    }
    if (this.#able.includes(peer)) this.#handOver(peer, client);
    else this.#waiting.push(client);
    child.send({ cmd: marker, type: 'passed-on', seq } satisfies DownMessage);
    this.#distribute();
  }

  /** The process serves the connection itself. */
  takenBack(child: Child, seq: number): void {
    this.#unwant(child, seq);
    this.#withdraw((each) => isOffer(each) && each.from === child && each.seq === seq);
    this.#distribute();
  }

  /** The answer of a process. Null if it cannot take connections from the daemon. */
  counted(child: Child, open: number | null): void {
    if (open === null) this.#peers.delete(child);
    else this.#peers.get(child)?.counted(open);
    this.#changed();
  }

  accepted(child: Child, seq: number, open: number): void {
    if (!this.#handOffs.accepted(child, seq)) return;
    this.#peers.get(child)?.taken(open);
    this.#distribute();
  }

  /** It has closed its server, so it would decline the next one too. */
  declined(child: Child, seq: number): void {
    if (this.#handOffs.has(child, seq)) this.#peers.delete(child);
    this.#handOffs.declined(child, seq);
  }

  close(): void {
    this.#forgetPatience();
    for (const each of this.#waiting.splice(0)) if (!isOffer(each)) each.close();
    this.#handOffs.close();
  }

  /** Those that may get connections. */
  get #able(): Peer[] {
    return [...this.#peers.values()].filter(({ isAble }) => isAble);
  }

  /** Whether no connection waits or is on its way. */
  get #isQuiet(): boolean {
    return this.#waiting.length === 0 && this.#wanted.size === 0 && !this.#isAwaited;
  }

  get #isAwaited(): boolean {
    return [...this.#peers.values()].some((peer) => peer.isAwaited);
  }

  /** The processes have changed. One without others offers nothing. */
  #changed(): void {
    const isOn = this.#peers.size > 1;
    if (isOn !== this.#isOn) for (const child of this.#peers.keys()) this.#switch(child, isOn);
    this.#isOn = isOn;
    this.#distribute();
  }

  #switch(child: Child, on: boolean): void {
    child.send({ cmd: marker, type: 'spread', key: this.#key, on } satisfies DownMessage);
  }

  #suspend(child: Child, isSuspended: boolean): void {
    const peer = this.#peers.get(child);
    if (peer) peer.isSuspended = isSuspended;
    this.#distribute();
  }

  /** It has what it has offered, or is gone with it. */
  #forget(child: Child): void {
    this.#peers.delete(child);
    this.#unwant(child);
    this.#withdraw((each) => isOffer(each) && each.from === child);
  }

  #withdraw(isGone: (each: OfferOf | Handle) => boolean): void {
    this.#waiting = this.#waiting.filter((each) => !isGone(each));
  }

  /** Returns whom the connection was for. */
  #unwant(child: Child, seq = this.#wanted.get(child)?.seq): Peer | undefined {
    const wanted = this.#wanted.get(child);
    if (!wanted || wanted.seq !== seq) return undefined;
    this.#wanted.delete(child);
    wanted.peer.coming -= 1;
    return wanted.peer;
  }

  #distribute(): void {
    if (this.#waiting.length > 0) for (const peer of this.#peers.values()) peer.ask(this.#key);
    while (this.#waiting.length > 0 && this.#placeFirst()) if (this.waiting === 0) noneWaits();
    if (this.#isAwaited) this.#endPatience ??= this.#clock.after(patience, () => this.#losePatience());
    else this.#forgetPatience();
  }

  /** Decides about the first of those that wait. Returns false if that has to wait. */
  #placeFirst(): boolean {
    const [first] = this.#waiting;
    const able = this.#able;
    if (!first || able.some(({ isKnown }) => !isKnown)) return false;
    const least = leastOf(able);
    if (!isOffer(first)) {
      if (!least || least.isTaking) return false;
      this.#waiting.shift();
      this.#handOver(least, first);
      return true;
    }
    const other = least?.member.child === first.from ? undefined : least;
    if (other?.isTaking) return false;
    this.#waiting.shift();
    this.#answer(first.from, first.seq, other, first.waiting);
    return true;
  }

  /** `other`: whom the connection is for; undefined if it stays where it is. `more`: how many it is going to offer. */
  #answer(from: Child, seq: number, other: Peer | undefined, more = 0): void {
    this.#unwant(from);
    if (other) {
      other.coming += 1;
      this.#wanted.set(from, { seq, peer: other });
    } else this.#peers.get(from)?.keeps();
    const isWanted = other !== undefined;
    const keep = shareOf(this.#able, more);
    from.send({ cmd: marker, type: 'offer-answered', seq, isWanted, keep } satisfies DownMessage);
  }

  #handOver(peer: Peer, client: Handle): void {
    peer.takes();
    this.#handOffs.send({ member: peer.member, client });
  }

  #losePatience(): void {
    this.#endPatience = undefined;
    for (const peer of this.#peers.values()) peer.losePatience();
    this.#distribute();
  }

  #forgetPatience(): void {
    this.#endPatience?.();
    this.#endPatience = undefined;
  }
}

function isOffer(each: OfferOf | Handle): each is OfferOf {
  return 'from' in each;
}

/** Of those with the fewest connections, one that can take another at once. Undefined if there is none. */
function leastOf(peers: readonly Peer[]): Peer | undefined {
  return peers.toSorted((one, other) => one.load - other.load || Number(one.isTaking) - Number(other.isTaking))[0];
}

/** How many connections a process may have before it offers one, if so many more are to be spread. */
function shareOf(peers: readonly Peer[], more: number): number {
  const loads = peers.filter(({ isKnown }) => isKnown).map(({ load }) => load);
  const fewest = loads.length === 0 ? 0 : Math.min(...loads);
  const mean = loads.reduce((sum, load) => sum + load, more) / Math.max(loads.length, 1);
  return Math.max(fewest + 1 + Math.floor(fewest * tolerance), Math.floor(mean));
}
