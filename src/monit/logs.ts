// What the screen needs of those who read log files: the command line does, and hands them in.
import type { LogSink, LogSource } from '../cli/render/log-line.ts';
import type { ProcessView } from '../ipc/views.ts';
import type { Clock } from '../shared/clock.ts';

export interface LogStream {
  /** Goes on with these files too. */
  add(sources: readonly LogSource[]): Promise<void>;
  /** Hands on what is written from now on, until the process ends. */
  follow(clock: Clock): Promise<never>;
}

export interface Logs {
  sourcesOf(processes: readonly ProcessView[]): LogSource[];
  /** Begins with the last lines of each file. */
  open(sink: LogSink): LogStream;
}
