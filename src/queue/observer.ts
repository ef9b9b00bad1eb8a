// Which tasks have lost their process, judged only by what this process has seen itself. No clock of another process counts, and no time in
// which this process, or the store, stood still.
import type { RunningTask } from '../../queue/index.cjs';

/** Milliseconds between two looks. */
export const lookEvery = 5_000;
/** After so many further looks at the same beat, and so many milliseconds, nobody keeps it. Those are more than a process holds it (attempt.ts). */
const [enough, longEnough] = [3, 14_000];

interface Seen {
  beat: number;
  /** When the first answer with this beat came. */
  since: number;
  looks: number;
}

export class Observer {
  #seen = new Map<string, Seen>();

  /**
   * To be called every `lookEvery` milliseconds with what runs, as the store says right after it has accepted something from this process: in an answer
   * to what was sent and came at these times (monotonic milliseconds). Returns the tasks that nobody has renewed for 15 seconds. A process that was
   * stopped for a minute has looked once since, so that the others, which may have been stopped with it, get time to renew what they have.
   */
  look(running: readonly RunningTask[], sentAt: number, answeredAt: number): RunningTask[] {
    const before = this.#seen;
    this.#seen = new Map();
    return running.filter((task) => {
      const key = `${task.token} ${task.id}`;
      const known = before.get(key);
      const isSame = known?.beat === task.beat;
      const { since, looks } = isSame ? { ...known, looks: known.looks + 1 } : { since: answeredAt, looks: 0 };
      this.#seen.set(key, { beat: task.beat, since, looks });
      return looks >= enough && sentAt - since >= longEnough;
    });
  }

  /** The store could not be reached. The others may not have reached it, either. */
  forget(): void {
    this.#seen.clear();
  }
}
