// The record in the nsv home of who stands still: with it the daemon, or the next one, lets them go on if the rotator dies.
import { rmSync } from 'node:fs';
import type { StopRecord } from '../ipc/rotator-messages.ts';
import { startTimeOf } from '../os/proc.ts';
import { writeAtomically } from '../shared/atomic-file.ts';

export interface RotationRecord {
  /** Returns when it is in the file. */
  write(record: Omit<StopRecord, 'rotator'>): void;
  clear(): void;
}

export function createRotationRecord(file: string): RotationRecord {
  const rotator = { pid: process.pid, startTime: startTimeOf(process.pid) };
  return {
    write(record) {
      // No process survives a power cut.
      writeAtomically(file, JSON.stringify({ rotator, ...record }), { durable: false });
    },
    clear: () => rmSync(file, { force: true }),
  };
}
