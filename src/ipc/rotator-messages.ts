// Messages between the daemon and its rotator over Node's IPC channel, and the record that the rotator keeps in the nsv
// home while it pauses processes.
import {
  amount,
  array,
  isTrue,
  natural,
  orAbsent,
  orNull,
  record,
  type Shape,
  shortened,
  variant,
} from '../shared/shapes.ts';

/** A process by pid and start time (clock ticks since boot), as another process may get the same pid. */
export interface Stopped {
  pid: number;
  startTime: number | undefined;
}

/** Which rotated files to keep, and how. */
export interface Retention {
  /** Number of rotations to keep per log file. */
  keep: number;
  /** Bytes of all log files of the app, current ones included; 0 for no limit. */
  total: number;
  /** All log files of the app. */
  family: string[];
  compress: boolean;
  /** The directory of all apps' logs, and a limit on its size in bytes; 0 for no limit. */
  logs: { directory: string; most: number };
}

/** A job for the rotator. */
export type RotationJob =
  /** Moves the content of a log file to a new file, if there is any. */
  | { id: number; do: 'rotate'; file: string; writers: number[]; retention: Retention }
  /** Restores the name of a log file that was renamed while programs write to it. */
  | { id: number; do: 'reopen'; file: string; writers: number[]; descriptors: Descriptor[]; trusted?: TrustedPlaces };

/** The writers belong to another user than the rotator, which follows them only to places that nobody else can change. */
export interface TrustedPlaces {
  /** The nsv home. */
  home: string;
}

/** A descriptor through which a program writes to a log. */
export interface Descriptor {
  pid: number;
  fd: number;
}

/** The result of a rotation. */
export interface Rotated {
  /** The new file; null if the log was empty. */
  to: string | null;
  bytes: number;
  /** Milliseconds for which the writers were paused. */
  stopped: number;
  /** Bytes at its beginning that are gone, because the log was longer than what may be kept. */
  dropped?: number;
}

/** `later`: there is no error, but a writer could not be paused in time. Try again. */
export interface RotationProblem {
  detail: string;
  later: boolean;
}

/** A report of the rotator. */
export type RotationReport =
  /** Sent before the rotator pauses processes (which are in the record by then), and after it resumes them. */
  | { type: 'stopping' }
  | { type: 'continued' }
  | { type: 'done'; id: number; result: Rotated }
  | { type: 'failed'; id: number; problem: RotationProblem }
  /** Old rotations were deleted to keep the limits. */
  | { type: 'deleted'; files: string[] }
  | { type: 'trouble'; detail: string };

/** Which processes to resume if the rotator dies, and how to find out whether its rotation was completed. */
export interface StopRecord {
  rotator: Stopped;
  stopped: Stopped[];
  /** The log file. Its content is copied to `draft`, which is renamed to `to` right before the log is emptied. */
  file: string;
  draft: string;
  to: string;
}

/** Characters. */
const longest = 4096;
const bounded = shortened(longest);

const rotated: Shape<Rotated> = record({
  to: orNull(bounded),
  bytes: amount,
  stopped: amount,
  dropped: orAbsent(amount),
});
const problem: Shape<RotationProblem> = record({ detail: bounded, later: isTrue });

export const parseRotationReport: Shape<RotationReport> = variant('type', {
  stopping: record({}),
  continued: record({}),
  done: record({ id: natural, result: rotated }),
  failed: record({ id: natural, problem }),
  deleted: record({ files: array(bounded) }),
  trouble: record({ detail: bounded }),
});
