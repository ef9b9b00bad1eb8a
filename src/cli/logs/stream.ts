// Several logs as one stream of lines: the requested past first, then new lines.
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type Clock, pause } from '../../shared/clock.ts';
import type { LogSink, LogSource, Start } from '../render/log-line.ts';
import type { PastLines } from './beginning.ts';
import { type Entry, Lane, merge } from './merge.ts';
import { LogReader } from './reader.ts';

/** Milliseconds between two reads of growing files. */
const interval = 100;

export type LogStream = ReturnType<typeof createLogStream>;

interface Followed {
  source: LogSource;
  lane: Lane<LogReader>;
  /** Whether its past has been emitted. */
  isCurrent: boolean;
  /** Of the last process that was started, as far as it is known. Milliseconds since 1970. */
  startedAt: number | undefined;
}

export function createLogStream(past: PastLines, sink: LogSink) {
  const followed = new Map<string, Followed>();
  let begun = Number.POSITIVE_INFINITY;

  async function begin(source: LogSource): Promise<void> {
    const reader = new LogReader(source.file);
    const isCurrent = await reader.beginNew(begun);
    if (!isCurrent && !(await reader.begin(past))) sink.tellUntimed(source);
    followed.set(source.file, { source, lane: new Lane(reader), isCurrent, startedAt: undefined });
  }

  /** Emits the lines available now; returns whether there were any. */
  async function look(): Promise<boolean> {
    const all = [...followed.values()];
    const sources = new Map(all.map((each) => [each.lane.source, each]));
    for (const reader of sources.keys()) reader.look();
    let hasMore = false;
    const emit = (reader: LogReader, entry: Entry) => {
      hasMore = true;
      const each = sources.get(reader)!;
      if (Buffer.isBuffer(entry)) emitLine(each, entry);
      else {
        each.startedAt = entry.at;
        sink.start?.(each.source, entry, each.isCurrent);
      }
    };
    const lanes = all.map(({ lane }) => lane);
    await merge(lanes, emit, sink.flush);
    for (const each of all) each.isCurrent = true;
    await sink.flush();
    return hasMore;
  }

  function emitLine({ source, lane, isCurrent, startedAt }: Followed, line: Buffer): void {
    sink.emit(source, line, { isNew: isCurrent, startedAt, changedAt: lane.source.changedAt });
  }

  return {
    /** Emits the start at its place: `offset` bytes from the beginning of the file. `isNew`: it has just happened. */
    mark(file: string, offset: number, start: Start, isNew: boolean): void {
      followed.get(file)?.lane.source.mark(start, offset, isNew);
    },
    /**
     * Also reads these files. Shows the requested past of a new one, but all of a file created after following began: an
     * app that was just started may have printed more than that.
     */
    async add(sources: readonly LogSource[]): Promise<void> {
      for (const source of sources) {
        const known = followed.get(source.file);
        // The file may be shared by other instances now.
        if (known) known.source = source;
        else await begin(source);
      }
    },
    look,
    /** Emits the unfinished last line of each file. */
    async close(): Promise<void> {
      for (const each of followed.values()) for (const line of each.lane.source.close()) emitLine(each, line);
      await sink.flush();
    },
    /** Emits new lines until the process ends. */
    async follow(clock: Clock): Promise<never> {
      begun = clock.wall();
      for (;;) {
        if (await look()) await pause(clock, interval);
        else await nextChange(followed.keys(), clock);
      }
    },
  };
}

/**
 * Milliseconds until a check without a notification: some file systems send none, changes between a rename and the next
 * watch are missed, and the number of watches is limited.
 */
const timeout = 500;

/** Events about other files in the directory; beyond this number, handling them costs more than checking. */
const mostInVain = 50;

/** Resolves when one of the files has changed, or after half a second. Meanwhile, only the watches cost anything. */
function nextChange(files: Iterable<string>, clock: Clock): Promise<void> {
  const watchers: FSWatcher[] = [];
  return new Promise<void>((resolve) => {
    const cancel = clock.after(timeout, ring);
    function ring(): void {
      cancel();
      closeAll(watchers);
      resolve();
    }
    let inVain = 0;
    for (const [directory, names] of byDirectory(files)) {
      watchIn(directory, watchers, (name) => {
        if (name === null || names.has(name)) return ring();
        inVain += 1;
        if (inVain === mostInVain) closeAll(watchers);
      });
    }
  });
}

function watchIn(directory: string, watchers: FSWatcher[], changed: (name: string | null) => void): void {
  try {
    watchers.push(watch(directory, (_, name) => changed(name)).on('error', () => {}));
  } catch {
    // Without a watch, the file is checked after the timeout.
  }
}

function closeAll(watchers: FSWatcher[]): void {
  for (const watcher of watchers.splice(0)) watcher.close();
}

function byDirectory(files: Iterable<string>): Map<string, Set<string>> {
  const directories = new Map<string, Set<string>>();
  for (const file of files) {
    const names = directories.get(dirname(file)) ?? new Set();
    directories.set(dirname(file), names.add(basename(file)));
  }
  return directories;
}
