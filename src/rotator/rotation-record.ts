// Records the stopped processes in the nsv home: if the rotator dies, the daemon or its successor continues them.
import { ftruncateSync, rmSync, writeSync } from 'node:fs';
import type { StopRecord } from '../ipc/rotator-messages.ts';
import { startTimeOf } from '../os/proc.ts';
import { writeAtomically } from '../shared/atomic-file.ts';

export interface RotationRecord {
  /** Returns after the file is written. */
  write(record: Omit<StopRecord, 'rotator'>): void;
  clear(): void;
}

/** `place`: a path, or the descriptor of a file in a home that this process may not enter. */
export function createRotationRecord(place: string | number): RotationRecord {
  const rotator = { pid: process.pid, startTime: startTimeOf(process.pid) };
  return {
    write(record) {
      const text = JSON.stringify({ rotator, ...record });
      // Not flushed to disk: no process survives a power cut.
      if (typeof place === 'string') writeAtomically(place, text, { durable: false });
      else overwrite(place, text);
    },
    clear: () => (typeof place === 'string' ? rmSync(place, { force: true }) : ftruncateSync(place, 0)),
  };
}

/** A record that is only partly written is ignored: nothing is stopped before this returns. */
function overwrite(fd: number, text: string): void {
  ftruncateSync(fd, 0);
  writeSync(fd, text, 0);
}
