// The rotator: a separate process that the daemon starts when logs need rotation, so that the daemon copies no data. It
// processes jobs in order, then compresses and deletes old files, and exits when no more jobs come.
import { ftruncateSync, type Stats, writeSync } from 'node:fs';
import type { Retention, Rotated, RotationJob, RotationReport, StopRecord } from '../ipc/rotator-messages.ts';
import { recoverAtStart } from '../logs/rotation-recovery.ts';
import { hasProc, startTimeOf } from '../os/proc.ts';
import { sleepSync } from '../os/sleep-sync.ts';
import { isTrustedPath } from '../os/trust/trusted-path.ts';
import { realClock } from '../shared/clock.ts';
import { detailOf } from '../shared/errors.ts';
import { throwUncaught } from '../shared/throw-uncaught.ts';
import { openLine } from './daemon-line.ts';
import { searchHolders } from './holders.ts';
import { Late, pauseWriters, type WritersPaused } from './pause-writers.ts';
import { compressOld, deleteOverQuota, mostKept } from './retention.ts';
import { type Names, type RotationDeps, reopen, rotate } from './rotation.ts';

/** Milliseconds without a job before it exits: a new start costs 40 ms. */
const idle = 2_000;
/** How often a job that was late is retried, and the milliseconds in between. */
const mostTries = 5;
const pause = 20;

const daemon = process.ppid;
const isForRecovery = process.argv[2] === 'recover';
/** The descriptor of the record: this process may run as a user who cannot enter the home. */
const record = 3;
const rotator = { pid: process.pid, startTime: startTimeOf(process.pid) };
const jobs: RotationJob[] = [];
const old = new Map<string, Retention>();
let isBusy = false;
let isTidying = false;
let cancelEnd = () => {};

if (isForRecovery) recoverAtStart(record, realClock).catch(throwUncaught);

const line = isForRecovery
  ? undefined
  : openLine(
      (job) => {
        jobs.push(job);
        work().catch(throwUncaught);
      },
      () => {
        // Nothing would read the results any more, and the next daemon checks the logs itself.
        jobs.length = 0;
        old.clear();
        cancelEnd();
      },
    );

async function work(): Promise<void> {
  if (isBusy) return;
  isBusy = true;
  cancelEnd();
  for (let job = jobs.shift(); job; job = jobs.shift()) {
    perform(job);
    // Lets messages arrive between two jobs.
    await new Promise((resolve) => setImmediate(resolve));
  }
  isBusy = false;
  await cleanUp();
}

/** Runs concurrently with new jobs, because compressing a large file takes long. */
async function cleanUp(): Promise<void> {
  if (isTidying) return;
  isTidying = true;
  for (const [file, retention] of old) {
    old.delete(file);
    await applyRetention(file, retention);
  }
  isTidying = false;
  if (!isBusy && line?.isOpen) cancelEnd = realClock.after(idle, () => line.close());
}

function perform(job: RotationJob): void {
  try {
    const result = patiently(() => run(job));
    send({ type: 'done', id: job.id, result });
    if (job.do === 'rotate') old.set(job.file, job.retention);
  } catch (error) {
    send({ type: 'failed', id: job.id, problem: { detail: detailOf(error), later: error instanceof Late } });
  }
}

function run(job: RotationJob): Rotated {
  const most = job.do === 'rotate' ? mostKept(job.file, job.retention) : Number.POSITIVE_INFINITY;
  const deps = { ...meansFor(job.writers), most };
  if (job.do === 'rotate') return rotate(job.file, deps);
  const own = job.trusted && { uid: process.geteuid?.() ?? 0, home: job.trusted.home };
  return reopen(job.file, job.descriptors, deps, own && ((path) => isTrustedPath(path, own)));
}

function patiently<T>(run: () => T): T {
  for (let tries = 1; ; tries += 1) {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof Late) || tries === mostTries) throw error;
      sleepSync(pause);
    }
  }
}

async function applyRetention(file: string, retention: Retention): Promise<void> {
  try {
    const { deleted, failure } = deleteOverQuota(file, retention);
    if (deleted.length > 0) send({ type: 'deleted', files: deleted });
    if (failure) send({ type: 'trouble', detail: detailOf(failure) });
    if (retention.compress) await compressOld(file);
  } catch (error) {
    send({ type: 'trouble', detail: detailOf(error) });
  }
}

function meansFor(writers: readonly number[]): Omit<RotationDeps, 'most'> {
  return { wall: realClock.wall, withWritersPaused: hasProc ? stop : unstopped };

  function stop(inode: Stats, names: Names, act: (paused: WritersPaused) => void): number {
    send({ type: 'stopping' });
    try {
      return pauseWriters(
        {
          holders: searchHolders({ inode, writers, spared: [daemon] }),
          record: (stopped) => writeRecord({ ...names, stopped: [...stopped] }),
          now: realClock.now,
        },
        act,
      );
    } finally {
      clearRecord();
      send({ type: 'continued' });
    }
  }
}

/** Without /proc the writers are unknown: lines written between the last read and the truncation are lost. */
function unstopped(_inode: Stats, _names: object, act: (paused: WritersPaused) => void): number {
  act({ verify() {} });
  return 0;
}

function send(report: RotationReport): void {
  line?.send(report);
}

/**
 * Records the processes in the nsv home, before they are stopped: if the rotator dies, the daemon or its successor continues them. Not
 * flushed to disk: no process survives a power cut.
 */
function writeRecord(stopped: Omit<StopRecord, 'rotator'>): void {
  const text = Buffer.from(JSON.stringify({ rotator, ...stopped }));
  // In this order: those that are stopped already are in the record at any time.
  if (writeSync(record, text, 0, text.length, 0) < text.length) throw new Error('no space for the record');
  ftruncateSync(record, text.length);
}

function clearRecord(): void {
  ftruncateSync(record, 0);
}
