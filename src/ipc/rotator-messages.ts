// What the daemon and its rotator say to each other, over Node's own IPC channel, and the record that the rotator leaves
// in the nsv home for as long as processes stand still for it.

/** A process by its pid and start time (clock ticks since boot), so that another one of that pid is not taken for it. */
export interface Stopped {
  pid: number;
  startTime: number | undefined;
}

/** Which rotated files of a log stay, and how. */
export interface Retention {
  /** How many of each file. */
  keep: number;
  /** Bytes of all files of the app, those that are written now included; 0 for no limit. */
  total: number;
  /** All log files of the app. */
  family: string[];
  compress: boolean;
  /** The directory of the logs of all apps, and the bytes of all that is in it; 0 for no limit. */
  logs: { directory: string; most: number };
}

/** To the rotator. */
export type RotationJob =
  /** Takes out what is in a file, if there is anything. */
  | { id: number; do: 'rotate'; file: string; writers: number[]; retention: Retention }
  /** Makes a file that was renamed while programs write to it what they write to again. */
  | { id: number; do: 'reopen'; file: string; writers: number[]; descriptors: Descriptor[] };

/** One through which a program writes to a log. */
export interface Descriptor {
  pid: number;
  fd: number;
}

/** What became of a rotation. */
export interface Rotated {
  /** The file that has it now; null when there was nothing. */
  to: string | null;
  bytes: number;
  /** Milliseconds for which the programs stood still. */
  stopped: number;
}

/** `later`: nothing is wrong, but somebody could not be stopped in time: to be tried again. */
export interface RotationProblem {
  detail: string;
  later: boolean;
}

/** From the rotator. */
export type RotationReport =
  /** It is about to stop processes, which are in the record by now; or lets them go on. */
  | { type: 'stopping' }
  | { type: 'continued' }
  | { type: 'done'; id: number; result: Rotated }
  | { type: 'failed'; id: number; problem: RotationProblem }
  /** Old ones that were deleted to keep the limits. */
  | { type: 'deleted'; files: string[] }
  | { type: 'trouble'; detail: string };

/** Who must be continued if the rotator dies, and what then tells whether its rotation took place. */
export interface StopRecord {
  rotator: Stopped;
  stopped: Stopped[];
  /** The log file, and what it is copied to: first to the draft, which gets the other name right before the file is emptied. */
  file: string;
  draft: string;
  to: string;
}
