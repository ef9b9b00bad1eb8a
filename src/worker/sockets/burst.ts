// Connections that come too fast for the daemon to be asked about each (spread.ts). Whoever wakes up first would take most of them, so
// a process that has just taken some lets the others accept for a moment, which is longer the more it has taken. It asks nobody, so
// one that is blocked delays no one for long.

/** Milliseconds, times the number of the others, in which one of the connections that were taken is forgotten. */
const forgetting = 7;
/** From so many on, of those that are not forgotten, the others get their turn. */
const few = 1.5;
/** From so many on, asking would only delay them. */
const many = 3;
/** After so many for each process, up to a limit, the others have had long turns, unless they are blocked: they get short ones. */
const [enoughEach, enough] = [4, 16];
/** After so many, none. */
const most = 64;
/** Milliseconds. */
const [shortest, longest] = [1, 20];

export class Burst {
  #taken = 0;
  #last = 0;

  /** Whether the connections come too fast to ask about each. */
  get isOn(): boolean {
    return this.#taken >= many;
  }

  /**
   * To be called for each connection. Returns for how many milliseconds the process is to accept no other one; 0 if they come one by
   * one. `now`: monotonic milliseconds. `others`: the number of processes that accept there, too.
   */
  pauseAfter(now: number, others: number): number {
    const turns = Math.max(others, 2);
    this.#taken = Math.max(0, this.#taken - (now - this.#last) / (forgetting * turns)) + 1;
    this.#last = now;
    if (this.#taken < few || this.#taken > most) return 0;
    if (this.#taken > Math.min(enoughEach * (others + 1), enough)) return shortest;
    return Math.min((this.#taken * turns) / 4, longest);
  }
}
