// Passes messages between the instances of an app, each at most once. What a process does not read in time is not kept for it, so a
// blocked one costs the daemon no more than a few messages.
import { type DownMessage, longestBroadcast, marker, mostBroadcasts } from '../../ipc/worker-messages.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Child } from '../launch/launcher.ts';

/** Characters on the way to one process: half of what its channel may hold unread. */
export const mostUnread = 64 * longestBroadcast;
/** Characters that a message counts for at least, so that there are no more than 4,000 small ones. */
const least = longestBroadcast / 64;
/** The library rejects more than `mostBroadcasts`, so only a process without it gets here. */
const mostTaken = 2 * mostBroadcasts;

interface Part {
  /** Whether the app listens to broadcasts. */
  listens: boolean;
  /** Characters of each message that it has not confirmed, the oldest first, and of all. */
  sizes: number[];
  unread: number;
  /** Messages that it may send now. */
  allowance: number;
  /** When that was counted. */
  at: number;
}

const parts = new WeakMap<Child, Part>();

export class Broadcasts {
  readonly #children: () => Child[];
  readonly #clock: Clock;

  constructor(children: () => Child[], clock: Clock) {
    this.#children = children;
    this.#clock = clock;
  }

  takesPart(child: Child, listens: boolean): void {
    // Told to each daemon, and after each loss of the channel, with which messages are lost.
    Object.assign(this.#partOf(child), { listens, sizes: [], unread: 0 });
  }

  received(child: Child, count: number): void {
    const part = this.#partOf(child);
    for (const size of part.sizes.splice(0, count)) part.unread -= size;
  }

  pass(sender: Child, text: string): void {
    if (text.length > longestBroadcast || !this.#mayPass(this.#partOf(sender))) return;
    const message: DownMessage = { cmd: marker, type: 'broadcast', from: sender.plan.slot, text };
    const size = Math.max(text.length, least);
    for (const child of this.#children()) {
      const part = parts.get(child);
      if (child === sender || !part?.listens || part.unread + size > mostUnread || !child.send(message)) continue;
      part.sizes.push(size);
      part.unread += size;
    }
  }

  #mayPass(part: Part): boolean {
    const now = this.#clock.now();
    part.allowance = Math.min(mostTaken, part.allowance + ((now - part.at) / 1_000) * mostTaken);
    part.at = now;
    if (part.allowance < 1) return false;
    part.allowance -= 1;
    return true;
  }

  #partOf(child: Child): Part {
    const known = parts.get(child);
    if (known) return known;
    const part = { listens: false, sizes: [], unread: 0, allowance: mostTaken, at: this.#clock.now() };
    parts.set(child, part);
    return part;
  }
}
