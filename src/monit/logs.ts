// What the screen needs of those who read log files: the command line does, and hands them in.
import type { LogSink, LogSource } from '../cli/render/log-line.ts';
import type { ProcessView } from '../ipc/views.ts';
import type { Clock } from '../shared/clock.ts';

export interface LogFollower {
  /** Also reads these files. */
  add(sources: readonly LogSource[]): Promise<void>;
  /** Emits new lines until the process ends. */
  follow(clock: Clock): Promise<never>;
}

export interface Logs {
  sourcesOf(processes: readonly ProcessView[]): LogSource[];
  /** Starts with the last lines of each file. */
  open(sink: LogSink): LogFollower;
}
