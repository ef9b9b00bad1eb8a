// After the death of a rotator, or of a daemon with it: whoever still stands goes on, and what it was about is finished or
// undone, so that no line is there twice or not at all.
import { closeSync, openSync, readFileSync, readSync, rmSync, statSync } from 'node:fs';
import type { StopRecord } from '../../ipc/rotator-messages.ts';
import { isSameProcess } from '../../os/proc.ts';
import { sendSignal } from '../../os/terminate.ts';
import type { Clock } from '../../shared/clock.ts';

/** Milliseconds for the rotator of a dead daemon to finish what it is about. */
const patience = 2_000;
const pause = 20;

/** For a daemon that begins. A rotator that the last one has left is waited for, then killed. */
export async function recoverAtStart(file: string, clock: Clock): Promise<void> {
  const deadline = clock.now() + patience;
  for (let record = read(file); record && isSameProcess(record.rotator); record = read(file)) {
    if (clock.now() > deadline) sendSignal(record.rotator, 'SIGKILL');
    await new Promise<void>((resolve) => clock.after(pause, resolve));
  }
  recover(file);
}

/** For a rotator that is gone. */
export function recover(file: string): void {
  const record = read(file);
  if (!record) return;
  // First the file: who goes on writes to it.
  try {
    settle(record);
  } finally {
    for (const who of record.stopped) sendSignal(who, 'SIGCONT');
    rmSync(file, { force: true });
  }
}

/** The copy got its name before the log was emptied: if the log still begins as its copy does, it was not. */
function settle({ file, draft, to }: StopRecord): void {
  rmSync(draft, { force: true });
  const copied = sizeOf(to);
  if (copied === 0 || sizeOf(file) < copied) return;
  const length = Math.min(copied, reach);
  if (beginning(file, length).equals(beginning(to, length))) rmSync(to, { force: true });
}

/** Bytes that are compared. */
const reach = 64 * 1024;

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function beginning(file: string, length: number): Buffer {
  const fd = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(fd, bytes, 0, length, 0));
  } finally {
    closeSync(fd);
  }
}

function read(file: string): StopRecord | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as StopRecord;
  } catch {
    return undefined;
  }
}
