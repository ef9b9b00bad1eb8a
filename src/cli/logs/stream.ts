// Several log files as one stream of lines: first the last of each, file by file, then what comes.
import type { Clock } from '../../shared/clock.ts';
import { Follower } from './follower.ts';
import type { LogSource } from './sources.ts';

/**
 * Milliseconds between two looks. Not fs.watch: it misses what happens between a rename and the next watch, costs an
 * inotify instance each, and is absent on some file systems; a look at a file that has not grown takes microseconds.
 */
const pause = 150;

export interface LogStream {
  /** The last `count` lines of each file. */
  last(count: number): void;
  /** Ends each file's last line, whether its end was written or not. */
  close(): void;
  /** Hands on what is written from now on, until the process ends. */
  follow(clock: Clock): Promise<never>;
}

export function createLogStream(
  sources: readonly LogSource[],
  emit: (source: LogSource, line: string) => void,
): LogStream {
  const followed = sources.map((source) => ({ source, follower: new Follower(source.file) }));
  const emitAll = (read: (follower: Follower) => string[]) => {
    for (const { source, follower } of followed) for (const line of read(follower)) emit(source, line);
  };
  return {
    last: (count) => emitAll((follower) => follower.last(count)),
    close: () => emitAll((follower) => follower.close()),
    follow(clock) {
      const look = () => {
        emitAll((follower) => follower.more());
        clock.after(pause, look);
      };
      look();
      return new Promise(() => undefined);
    },
  };
}
