// Records the stopped processes in the nsv home: if the rotator dies, the daemon or its successor continues them.
import { rmSync } from 'node:fs';
import type { StopRecord } from '../ipc/rotator-messages.ts';
import { startTimeOf } from '../os/proc.ts';
import { writeAtomically } from '../shared/atomic-file.ts';

export interface RotationRecord {
  /** Returns after the file is written. */
  write(record: Omit<StopRecord, 'rotator'>): void;
  clear(): void;
}

export function createRotationRecord(file: string): RotationRecord {
  const rotator = { pid: process.pid, startTime: startTimeOf(process.pid) };
  return {
    write(record) {
      // Not flushed to disk: no process survives a power cut.
      writeAtomically(file, JSON.stringify({ rotator, ...record }), { durable: false });
    },
    clear: () => rmSync(file, { force: true }),
  };
}
