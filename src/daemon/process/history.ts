// What is told of a slot, whichever process fills it.
import type { Exit } from '../../ipc/views.ts';
import type { ProcessRecord } from './record.ts';

export class SlotHistory {
  /** Restarts that nobody asked for. */
  restarts = 0;
  /** Requests under way in processes of this slot that were killed at the kill timeout. */
  cutShort = 0;
  /** How the last process of this slot ended. */
  lastExit: Exit | null = null;
  /** Whether that was somebody's wish. */
  endedAsAsked = false;
  /** Wall-clock time of the last spawn, milliseconds since 1970. */
  spawnedAt: number | null = null;
  /** Once a process of this slot has listened, the next one is ready only when it listens too. */
  expectsToListen = false;

  /** Takes over what is told of the slot, not of the process. */
  inherit({ restarts, lastExit }: SlotHistory): void {
    this.restarts = restarts;
    this.lastExit = lastExit;
  }

  /** All of it, from before the daemon's death. */
  recall(record: ProcessRecord): void {
    const { restarts, cutShort, lastExit, endedAsAsked, spawnedAt, expectsToListen } = record;
    Object.assign(this, { restarts, cutShort, lastExit, endedAsAsked, spawnedAt, expectsToListen });
  }
}
