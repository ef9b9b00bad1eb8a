// Prints what the journal knows: at the beginning, and what was missed between two daemons.
import type { EventView } from '../../ipc/journal/event-views.ts';
import type { ProcessView } from '../../ipc/views.ts';
import type { FollowingStart } from '../command.ts';
import { readJournal } from './journal.ts';
import { pastFilter } from './past-filter.ts';

export interface PastOptions {
  file: string;
  targets: readonly string[];
  /** Milliseconds since 1970. */
  since: number;
  /** What runs now. */
  running: readonly ProcessView[];
  print(event: EventView): void;
}

export interface Past {
  /** The events of which `print` was called. */
  readonly count: number;
  /** Whether `print` was called for a daemon, which has told the events since then. */
  readonly isFollowed: boolean;
  /** `start`: where the events of a daemon begin, if they are followed. Throws CANNOT_READ_JOURNAL. */
  print(start?: FollowingStart): void;
}

export function createPast({ file, targets, since, running, print }: PastOptions): Past {
  let count = 0;
  let isFollowed = false;

  /** What the previous daemon had to tell was heard, so the rest begins with the next one. */
  function missed(all: EventView[], { daemon }: FollowingStart): EventView[] {
    const from = all.findLastIndex(({ type, pid }) => type === 'daemon' && pid === daemon);
    return from === -1 ? [] : all.slice(from);
  }

  return {
    get count() {
      return count;
    },
    get isFollowed() {
      return isFollowed;
    },
    print(start) {
      const all = readJournal(file, start?.end);
      const isMeant = pastFilter(targets, all, running);
      for (const event of isFollowed && start ? missed(all, start) : all) {
        if (event.at < since || !isMeant(event)) continue;
        count += 1;
        print(event);
      }
      isFollowed ||= start !== undefined;
    },
  };
}
