// Which tasks have lost their process, judged only by what this process has seen itself. No clock of another process counts, and no time in
// which this process, or the store, stood still.
import type { RunningTask } from '../../queue/index.cjs';

/** Milliseconds between two looks. */
export const lookEvery = 5_000;
/** After so many looks at the same beat, nobody keeps it. */
const enough = 3;

export class Observer {
  #seen = new Map<string, { beat: number; looks: number }>();

  /**
   * To be called every `lookEvery` milliseconds with what runs, as the store says right after it has accepted something from this process. Returns
   * the tasks that nobody has renewed for 15 seconds. A process that was stopped for a minute has looked once since, so that the others, which may
   * have been stopped with it, get time to renew what they have.
   */
  look(running: readonly RunningTask[]): RunningTask[] {
    const before = this.#seen;
    this.#seen = new Map();
    return running.filter((task) => {
      const key = `${task.token} ${task.id}`;
      const known = before.get(key);
      const looks = known?.beat === task.beat ? known.looks + 1 : 0;
      this.#seen.set(key, { beat: task.beat, looks });
      return looks >= enough;
    });
  }

  /** The store could not be reached. The others may not have reached it, either. */
  forget(): void {
    this.#seen.clear();
  }
}
