// Spreads connections that last evenly, where the processes accept by themselves. The kernel wakes all of them, and the first one
// accepts: of 64 connections that come one by one, an idle machine gives half to one process out of four.
//
// A process whose connections last, and which has one already, offers the next one to the daemon, unless they come in a burst
// (worker/sockets/spread.ts). The daemon asks the others how many they have. If one has fewer, the daemon has the connection sent, and
// hands it over. Only a process whose event loop turns answers, so one that is blocked delays nobody. Where connections are short, none is
// offered: they do not pile up, and the kernel gives them to a process that is not busy.
import { type DownMessage, marker } from '../../../ipc/worker-messages.ts';
import type { Handle } from '../../../os/sockets/node-handles.ts';
import { type Clock, realClock } from '../../../shared/clock.ts';
import type { Child } from '../../launch/launcher.ts';
import type { Offer, SocketMember } from '../held-socket.ts';
import { HandOffs } from './hand-offs.ts';
import { noneWaits } from './waiting.ts';

/**
 * Milliseconds for the answers, counted twice: an answer may have come while the daemon itself was busy, and is read between two
 * timers. A process that takes longer gets nothing until it has answered. More patience does not spread them more evenly, not even on a
 * busy machine: 20 ms only made a blocked process delay a connection by 50 ms.
 */
const patience = 5;

interface Offered extends Offer {
  from: Child;
  /** Those that have yet to answer. */
  awaited: Set<Child>;
  /** Who has the fewest connections, as far as the answers have come. */
  least: Count;
  isWanted: boolean;
}

interface Count {
  child: Child;
  open: number;
}

export class Spread {
  readonly #key: string;
  readonly #clock: Clock;
  readonly #members = new Map<Child, SocketMember>();
  /** Those that are out of the accept queue. */
  readonly #suspended = new Set<Child>();
  /** Those that have not answered in time. */
  readonly #silent = new Set<Child>();
  readonly #handOffs: HandOffs;
  /** One at a time: the next one may have to go elsewhere. What is offered meanwhile stays where it is. */
  #offered: Offered | undefined;
  #endPatience = () => {};
  /** Connections of processes that are gone. */
  #waiting: Handle[] = [];
  #others = 0;

  /** `key`: of the socket. */
  constructor(key: string, clock = realClock) {
    this.#key = key;
    this.#clock = clock;
    this.#handOffs = new HandOffs(key, (client, from) => {
      this.#forget(from);
      this.#place(client);
    });
  }

  /** Number of connections that are in no process. */
  get waiting(): number {
    return this.#waiting.length;
  }

  joined(member: SocketMember): void {
    if (this.#members.has(member.child)) return;
    this.#members.set(member.child, member);
    this.#changed();
  }

  leaving({ child }: SocketMember): void {
    this.#forget(child);
  }

  left({ child }: SocketMember): void {
    this.#forget(child);
    this.#handOffs.left(child);
  }

  suspended({ child }: SocketMember): void {
    this.#suspended.add(child);
    this.#changed();
  }

  resumed({ child }: SocketMember): void {
    this.#suspended.delete(child);
    this.#changed();
  }

  lost(child: Child): void {
    this.#forget(child);
    this.#handOffs.lost(child);
  }

  /** The process has accepted a connection that another may have. */
  offered(from: Child, offer: Offer): void {
    if (this.#offered) {
      this.#answer(from, offer.seq, false);
      return;
    }
    const awaited = new Set(this.#able.filter((child) => child !== from && !this.#silent.has(child)));
    this.#offered = { ...offer, from, awaited, least: { child: from, open: offer.open }, isWanted: false };
    for (const child of awaited) child.send({ cmd: marker, type: 'count', key: this.#key } satisfies DownMessage);
    this.#bePatient();
    this.#decide();
  }

  /** The answer of a process. Null if it cannot take connections from the daemon. */
  counted(child: Child, open: number | null): void {
    this.#silent.delete(child);
    if (open === null) this.#forget(child);
    else if (this.#offered?.awaited.delete(child)) {
      if (open < this.#offered.least.open) this.#offered.least = { child, open };
      this.#decide();
    }
  }

  /** The process has sent the connection, and serves it if the daemon dies before it has heard that another one has it. */
  passed(child: Child, seq: number, client: Handle): void {
    const offered = this.#offered;
    if (offered?.from !== child || offered.seq !== seq || !offered.isWanted) {
      client.close();
      this.#answer(child, seq, false);
      return;
    }
    this.#end();
    this.#place(client, offered.least.child);
    child.send({ cmd: marker, type: 'passed-on', seq } satisfies DownMessage);
  }

  accepted(child: Child, seq: number): void {
    this.#handOffs.accepted(child, seq);
  }

  /** It has closed its server, so it would decline the next one too. */
  declined(child: Child, seq: number): void {
    this.#handOffs.declined(child, seq);
  }

  close(): void {
    this.#end();
    for (const client of this.#waiting.splice(0)) client.close();
    this.#handOffs.close();
  }

  /** Those that may get connections. */
  get #able(): Child[] {
    return [...this.#members.keys()].filter((child) => !this.#suspended.has(child));
  }

  #forget(child: Child): void {
    this.#members.delete(child);
    this.#suspended.delete(child);
    this.#silent.delete(child);
    this.#changed();
    if (this.#offered?.from === child) this.#end();
    else if (this.#offered?.awaited.delete(child)) this.#decide();
  }

  /** Tells each how many others accept. A process without others is told nothing. */
  #changed(): void {
    const able = this.#able;
    const others = Math.max(0, able.length - 1);
    const isNew = others !== this.#others;
    this.#others = others;
    const message = { cmd: marker, type: 'spread', key: this.#key, others } satisfies DownMessage;
    if (isNew) for (const child of this.#members.keys()) child.send(message);
    if (able.length > 0) for (const client of this.#waiting.splice(0)) this.#place(client);
  }

  /** Answers the offer once nobody else is expected to answer. */
  #decide(): void {
    const { from, seq, awaited, least, isWanted } = this.#offered!;
    if (awaited.size > 0 || isWanted) return;
    this.#answer(from, seq, least.child !== from);
    if (least.child === from) {
      this.#end();
      return;
    }
    this.#offered!.isWanted = true;
    this.#bePatient();
  }

  #answer(child: Child, seq: number, isWanted: boolean): void {
    child.send({ cmd: marker, type: 'offer-answered', seq, isWanted } satisfies DownMessage);
  }

  #bePatient(isLate = false): void {
    this.#endPatience();
    this.#endPatience = this.#clock.after(patience, () => {
      if (isLate) this.#losePatience();
      else this.#bePatient(true);
    });
  }

  /** With those that have not counted their connections, or with the one that has not sent what is wanted: that has to keep it. */
  #losePatience(): void {
    const { awaited, isWanted } = this.#offered!;
    if (isWanted) {
      this.#end();
      return;
    }
    for (const child of awaited) this.#silent.add(child);
    awaited.clear();
    this.#decide();
  }

  #end(): void {
    this.#offered = undefined;
    this.#endPatience();
  }

  /** Hands it to this process or, if that has gone meanwhile, to another one. It waits if there is none. */
  #place(client: Handle, to?: Child): void {
    const able = this.#able;
    const child = able.find((each) => each === to) ?? able.find((each) => !this.#silent.has(each)) ?? able[0];
    const member = child && this.#members.get(child);
    if (member) this.#handOffs.send({ member, client });
    else this.#waiting.push(client);
    if (this.#waiting.length === 0) noneWaits();
  }
}
