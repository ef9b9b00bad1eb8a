// Watches the log files of all apps: rotates files that have reached their limit, and detects a full disk. A kernel watch would
// wake the daemon at every line, so one is used only while all files are quiet.
import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Retention, Rotated } from '../../ipc/rotator-messages.ts';
import { findAstray, whyAstray } from '../../logs/astray.ts';
import { watchOnce } from '../../os/watch-once.ts';
import type { Clock } from '../../shared/clock.ts';
import { detailOf, failure } from '../../shared/errors.ts';
import type { Group } from '../apps/group.ts';
import type { EventBus } from '../events.ts';
import type { Problems } from '../problems.ts';
import { type LogFile, logFilesOf } from './log-files.ts';
import { RotationFailure, type RunJob } from './rotator.ts';

/** Milliseconds. A quiet file costs one stat per `slowest`, in which a burst may fill a file far beyond its limit. */
export const slowest = 5_000;
export const fastest = 250;
/** For a file checked for the first time: its growth is known only after the second check. */
export const second = 1_000;

interface Growth {
  size: number;
  /** The size at the last check, and the milliseconds since then; undefined at the first check. */
  before: { size: number; elapsed: number } | undefined;
  /** The size at which the file is rotated; 0 for never. */
  limit: number;
}

/** Milliseconds until the file, at its current growth, is half-way to its limit. */
export function paceOf({ size, before, limit }: Growth): number {
  if (limit === 0) return slowest;
  if (!before) return second;
  const grown = size < before.size ? size : size - before.size;
  if (grown === 0) return slowest;
  const untilFull = ((limit - size) / grown) * before.elapsed;
  return Math.max(fastest, Math.min(slowest, untilFull / 2));
}

/** Milliseconds until a failed rotation is retried; doubled after each failure up to the longest. */
const firstDelay = 1_000;
const longestDelay = 10 * 60_000;
/** Number of late rotations in a row that count as a problem. */
const manyTimes = 4;

/** Milliseconds between disk checks while no log grows: a program that cannot write does not change its file. */
const longestRest = 60_000;

const astrayHint = '"nsv logs reopen" restores the name of a renamed file; "nsv reload" gives the app a new one';

export interface RotationSchedulerDeps {
  clock: Clock;
  events: EventBus;
  problems: Problems;
  groups(): readonly Group[];
  /** The rotator for a file of this owner. */
  runFor(owner: LogFile['owner']): RunJob;
  logs: Retention['logs'];
}

export function createRotationScheduler(deps: RotationSchedulerDeps) {
  const rotations = createRotations(deps);
  watchLogs(deps, rotations);
  return { rotate: rotations.rotate, lookForAstray: rotations.lookForAstray };
}

type Rotations = ReturnType<typeof createRotations>;

/** One rotation of a file at a time. After one that has failed, there is none for a while. */
function createRotations({ clock, events, problems, runFor, logs }: RotationSchedulerDeps) {
  const underWay = new Map<string, Promise<Rotated>>();
  const failures = new Map<string, { times: number; next: number }>();
  const astray = new Set<string>();

  /** Rejects with CANNOT_ROTATE. If the file is being rotated already, waits for that rotation. */
  function rotate(log: LogFile): Promise<Rotated> {
    const before = underWay.get(log.file);
    if (before) return before;
    const rotation = perform(log).finally(() => underWay.delete(log.file));
    underWay.set(log.file, rotation);
    return rotation;
  }

  async function perform({ file, descriptors, family, spec, owner }: LogFile): Promise<Rotated> {
    const { logKeep: keep, logTotal: total, logCompress: compress } = spec;
    const writers = descriptors.map(({ pid }) => pid);
    const found = findAstray(file, descriptors);
    // A file that has taken its place is rotated like any other.
    if (found && !existsSync(file))
      throw failure('CANNOT_ROTATE', { file, detail: whyAstray(found) }, { hint: astrayHint });
    try {
      // The limit of all logs concerns the home only, where no other user has a log.
      const limits = owner ? { directory: '', most: 0 } : logs;
      const retention = { keep, total, family, compress, logs: limits };
      const rotated = await runFor(owner)({ do: 'rotate', file, writers, retention });
      failures.delete(file);
      problems.set('log', null, file);
      if (rotated.to !== null) events.emit({ type: 'rotate', file, ...rotated, to: rotated.to });
      return rotated;
    } catch (error) {
      failed(file, error);
      throw failure('CANNOT_ROTATE', { file, detail: detailOf(error) }, { cause: error });
    }
  }

  function failed(file: string, error: unknown): void {
    const times = (failures.get(file)?.times ?? 0) + 1;
    failures.set(file, { times, next: clock.now() + Math.min(longestDelay, firstDelay * 2 ** (times - 1)) });
    const isLate = error instanceof RotationFailure && error.later;
    if (!isLate || times >= manyTimes) problems.set('log', `rotation failed: ${detailOf(error)}`, file);
  }

  /** Whether programs write to another file, which they take for this one: a problem, unless it `mayPass`. */
  function lookForAstray({ file, descriptors }: LogFile, mayPass = false): boolean {
    if (underWay.has(file)) return false;
    const found = findAstray(file, descriptors);
    if (!found && astray.delete(file)) problems.set('log file', null, file);
    if (!found || mayPass) return found !== undefined;
    astray.add(file);
    problems.set('log file', whyAstray(found), file);
    return true;
  }

  return {
    rotate,
    lookForAstray,
    /** Rotates the file if it is due. */
    lookAt(log: LogFile, size: number) {
      const { file, spec } = log;
      const isDue = spec.logMaxSize > 0 && size >= spec.logMaxSize;
      const mayTry = clock.now() >= (failures.get(file)?.next ?? 0);
      if (!isDue && failures.delete(file)) problems.set('log', null, file);
      // `failed` reports errors.
      if (isDue && mayTry && !underWay.has(file)) rotate(log).catch(() => {});
    },
    hasFailed: (file: string) => failures.has(file),
    areUnderWay: () => underWay.size > 0,
  };
}

interface Seen {
  size: number;
  at: number;
  isAstray: boolean;
}

function watchLogs({ clock, events, problems, groups }: RotationSchedulerDeps, rotations: Rotations): void {
  let seen = new Map<string, Seen>();
  let isArmed = false;
  let endRest = () => {};

  function arm(pause: number): void {
    if (isArmed) return;
    isArmed = true;
    endRest();
    clock.after(pause, look);
  }

  /**
   * Called when no file grows. Until one does or a process starts, only the free disk space is checked. Returns false
   * if the directories cannot be watched.
   */
  function rest(directories: ReadonlySet<string>): boolean {
    const endWatch = onNextChange(directories, () => arm(fastest));
    if (!endWatch) return false;
    let cancel = clock.after(longestRest, function peek() {
      lookAtDisks(directories, problems);
      if (problems.exist) arm(slowest);
      else cancel = clock.after(longestRest, peek);
    });
    endRest = () => {
      endWatch();
      cancel();
    };
    return true;
  }

  /** Runs once more after the last process of an app has exited. */
  function look(): void {
    isArmed = false;
    // The end of a problem must be noticed even if nothing is running.
    const files = logFilesOf(groups().filter(({ isActive }) => isActive || problems.exist));
    lookAtLeft([...seen.keys()].filter((file) => !files.has(file)));
    const before = seen;
    seen = new Map();
    let pause = slowest;
    for (const log of files.values()) pause = Math.min(pause, check(log, before.get(log.file)));
    const directories = new Set([...files.keys()].map(dirname));
    problems.keep((file) => files.has(file) || directories.has(file));
    lookAtDisks(directories, problems);
    if (files.size === 0) return;
    const isQuiet = [...seen].every(([file, { size }]) => size === before.get(file)?.size);
    const isAstray = [...seen.values()].some((file) => file.isAstray);
    const mayRest = isQuiet && !isAstray && !problems.exist && !rotations.areUnderWay();
    if (!mayRest || !rest(directories)) arm(problems.detailOf('log') === null ? pause : Math.min(pause, second));
  }

  /** Returns the milliseconds until the next check. */
  function check(log: LogFile, last: Seen | undefined): number {
    const { file, spec } = log;
    const size = sizeOf(file);
    rotations.lookAt(log, size);
    const at = clock.now();
    // logrotate has the log reopened a moment after it has renamed it.
    seen.set(file, { size, at, isAstray: rotations.lookForAstray(log, last?.isAstray !== true) });
    // Files that cannot be rotated have their own delay.
    const limit = rotations.hasFailed(file) ? 0 : spec.logMaxSize;
    return paceOf({ size, before: last && { size: last.size, elapsed: at - last.at }, limit });
  }

  function lookAtLeft(names: readonly string[]): void {
    if (names.length === 0) return;
    const all = logFilesOf(groups());
    for (const log of names.flatMap((name) => all.get(name) ?? [])) rotations.lookAt(log, sizeOf(log.file));
  }

  events.subscribe(({ type }) => {
    // For a process that a previous daemon started, only 'online' is emitted.
    if (type === 'start' || type === 'online') arm(second);
  });
}

/** Undefined if they cannot be watched: too many watches, no such directory. */
function onNextChange(directories: Iterable<string>, changed: () => void): (() => void) | undefined {
  try {
    return watchOnce(directories, changed);
  } catch {
    return undefined;
  }
}

function lookAtDisks(directories: Iterable<string>, problems: Problems): void {
  for (const directory of directories) {
    const verdict = isFull(directory);
    if (verdict === undefined) continue;
    problems.set('log', verdict ? 'the disk is full, so new output is lost' : null, directory);
  }
}

function sizeOf(file: string): number {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats?.isFile() ? stats.size : 0;
  } catch {
    return 0;
  }
}

/** Bytes below which a file system counts as full, and above which it no longer does. */
const full = 64 * 1024;
const roomy = 1024 * 1024;

/** Undefined in between, or if the free space is unknown. */
function isFull(directory: string): boolean | undefined {
  try {
    const { bsize, bfree, bavail } = statfsSync(directory);
    const free = bsize * (process.geteuid?.() === 0 ? bfree : bavail);
    if (free < full) return true;
    return free > roomy ? false : undefined;
  } catch {
    return undefined;
  }
}
