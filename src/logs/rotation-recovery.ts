// Cleans up after a rotator that died, alone or with its daemon: resumes paused processes, and completes or undoes the
// rotation, so that no line is duplicated or lost.
import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, readSync, rmSync, statSync } from 'node:fs';
import type { Stopped, StopRecord } from '../ipc/rotator-messages.ts';
import { isSameProcess } from '../os/proc.ts';
import { sendSignal } from '../os/terminate.ts';
import { type Clock, pause } from '../shared/clock.ts';
import { array, natural, orAbsent, record, type Shape, string } from '../shared/shapes.ts';

/** Milliseconds for the rotator of a dead daemon to finish its job. */
const timeout = 2_000;
const betweenLooks = 20;

/** The record: a path, or the descriptor of a file in a home that this process may not enter. */
export type RecordPlace = string | number;

/** For a starting daemon. Waits for the rotator of the previous daemon, then kills it. */
export async function recoverAtStart(file: RecordPlace, clock: Clock): Promise<void> {
  const deadline = clock.now() + timeout;
  for (let record = read(file); record && isSameProcess(record.rotator); record = read(file)) {
    if (clock.now() > deadline) sendSignal(record.rotator, 'SIGKILL');
    await pause(clock, betweenLooks);
  }
  recover(file);
}

/** For a rotator that is gone. */
export function recover(file: RecordPlace): void {
  const record = read(file);
  if (!record) return;
  // Fixes the file first, because resumed processes write to it.
  try {
    settle(record);
  } finally {
    for (const who of record.stopped) sendSignal(who, 'SIGCONT');
    if (typeof file === 'number') ftruncateSync(file);
    else rmSync(file, { force: true });
  }
}

/** Removes the copy if the log begins in the same way: the copy is named before the log is emptied. */
function settle({ file, draft, to }: StopRecord): void {
  rmSync(draft, { force: true });
  const copied = sizeOf(to);
  if (copied === 0 || sizeOf(file) < copied) return;
  const length = Math.min(copied, reach);
  if (beginning(file, length).equals(beginning(to, length))) rmSync(to, { force: true });
}

/** Bytes to compare. */
const reach = 64 * 1024;

/** 0 for a file that is not there. */
export function sizeOf(file: string): number {
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

const paused: Shape<Stopped> = record({ pid: natural, startTime: orAbsent(natural) });
const stopRecord: Shape<StopRecord> = record({
  rotator: paused,
  stopped: array(paused),
  file: string(),
  draft: string(),
  to: string(),
});

/** Undefined if there is none, or none that can be read: a daemon must start nevertheless. */
function read(file: RecordPlace): StopRecord | undefined {
  try {
    return stopRecord(JSON.parse(typeof file === 'number' ? textOf(file) : readFileSync(file, 'utf8')), 'record');
  } catch {
    return undefined;
  }
}

/** From its beginning, whatever the position of the descriptor. */
function textOf(fd: number): string {
  const bytes = Buffer.alloc(fstatSync(fd).size);
  return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, 0));
}
