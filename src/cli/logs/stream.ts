// Several log files as one stream of lines: first the last of each, file by file, then what comes.
import type { Clock } from '../../shared/clock.ts';
import { Follower } from './follower.ts';
import type { LogSource } from './sources.ts';

/**
 * Milliseconds between two looks. Not fs.watch: it misses what happens between a rename and the next watch, costs an
 * inotify instance each, and is absent on some file systems; a look at a file that has not grown takes microseconds.
 */
const pause = 150;

/** Takes the lines. */
export interface LogSink {
  emit(source: LogSource, line: string): void;
  /** Nothing is read while its reader is behind: the files can wait, and the memory is not theirs. */
  readonly isFull: boolean;
}

export interface LogStream {
  /**
   * Goes on with these files too. Of each that is new here the last lines are shown; but all of one that was made after
   * the following began, as an app that has just been started may have printed more than that.
   */
  add(sources: readonly LogSource[]): void;
  /** Ends each file's last line, whether its end was written or not. */
  close(): void;
  /** Hands on what is written from now on, until the process ends. */
  follow(clock: Clock): void;
}

/** `lines`: how many are the last lines of a file. */
export function createLogStream(lines: number, sink: LogSink): LogStream {
  const followed = new Map<string, { source: LogSource; follower: Follower }>();
  let begun = Number.POSITIVE_INFINITY;
  const emitAll = (read: (follower: Follower) => string[]) => {
    for (const { source, follower } of followed.values()) for (const line of read(follower)) sink.emit(source, line);
  };
  const begin = (source: LogSource) => {
    const follower = new Follower(source.file);
    followed.set(source.file, { source, follower });
    if (follower.bornAt < begun) for (const line of follower.last(lines)) sink.emit(source, line);
  };
  return {
    add(sources) {
      for (const source of sources) {
        const known = followed.get(source.file);
        // Who shares the file may have changed.
        if (known) known.source = source;
        else begin(source);
      }
    },
    close: () => emitAll((follower) => follower.close()),
    follow(clock) {
      begun = clock.wall();
      const look = () => {
        if (!sink.isFull) emitAll((follower) => follower.more());
        clock.after(pause, look);
      };
      look();
    },
  };
}
