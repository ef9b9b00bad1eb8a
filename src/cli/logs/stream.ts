// Several logs as one stream of lines: first what is wanted of the past, then what comes.
import type { Clock } from '../../shared/clock.ts';
import type { LogSink, LogSource } from '../render/log-line.ts';
import type { Past } from './beginning.ts';
import { rung } from './change-notifier.ts';
import { Lane, merge } from './merge.ts';
import { LogReader } from './reader.ts';

/** Milliseconds between two looks at files that grow. */
const pause = 100;

export interface LogStream {
  /**
   * Goes on with these files too. Of each that is new here the past is shown; but all of one that was made after the
   * following began, as an app that has just been started may have printed more than that.
   */
  add(sources: readonly LogSource[]): Promise<void>;
  /** Hands on what there is now; whether there was anything. */
  look(): Promise<boolean>;
  /** Ends each file's last line, whether its end was written or not. */
  close(): Promise<void>;
  /** Hands on what is written from now on, until the process ends. */
  follow(clock: Clock): Promise<never>;
}

interface Followed {
  source: LogSource;
  lane: Lane<LogReader>;
  /** Whether its past has been shown. */
  isCurrent: boolean;
}

export function createLogStream(past: Past, sink: LogSink): LogStream {
  const followed = new Map<string, Followed>();
  let begun = Number.POSITIVE_INFINITY;

  async function begin(source: LogSource): Promise<void> {
    const reader = new LogReader(source.file);
    const isCurrent = await reader.beginNew(begun);
    if (!isCurrent && !(await reader.begin(past))) sink.tellUntimed(source);
    followed.set(source.file, { source, lane: new Lane(reader), isCurrent });
  }

  async function look(): Promise<boolean> {
    const all = [...followed.values()];
    const sources = new Map(all.map((each) => [each.lane.source, each]));
    for (const reader of sources.keys()) reader.look();
    let hasMore = false;
    const emit = (reader: LogReader, line: Buffer) => {
      hasMore = true;
      const { source, isCurrent } = sources.get(reader)!;
      sink.emit(source, line, isCurrent);
    };
    await merge(
      all.map(({ lane }) => lane),
      emit,
      sink.flush,
    );
    for (const each of all) each.isCurrent = true;
    await sink.flush();
    return hasMore;
  }

  return {
    async add(sources) {
      for (const source of sources) {
        const known = followed.get(source.file);
        // Who shares the file may have changed.
        if (known) known.source = source;
        else await begin(source);
      }
    },
    look,
    async close() {
      for (const { source, lane } of followed.values())
        for (const line of lane.source.close()) sink.emit(source, line, false);
      await sink.flush();
    },
    async follow(clock) {
      begun = clock.wall();
      for (;;) {
        if (await look()) await new Promise<void>((resolve) => clock.after(pause, resolve));
        else await rung(followed.keys(), clock);
      }
    },
  };
}
