// The record in the nsv home of who stands still: with it the daemon, or the next one, lets them go on if the rotator dies.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import type { StopRecord } from '../ipc/rotator-messages.ts';
import { startTimeOf } from '../os/proc.ts';

export interface RotationRecord {
  /** Returns when it is in the file. */
  write(record: Omit<StopRecord, 'rotator'>): void;
  clear(): void;
}

export function createRotationRecord(file: string): RotationRecord {
  const rotator = { pid: process.pid, startTime: startTimeOf(process.pid) };
  return {
    write(record) {
      const draft = `${file}.tmp`;
      writeFileSync(draft, JSON.stringify({ rotator, ...record }), { mode: 0o600 });
      renameSync(draft, file);
    },
    clear: () => rmSync(file, { force: true }),
  };
}
