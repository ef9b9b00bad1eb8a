// Prints what the journal knows: at the beginning, and what was missed between two daemons.
import { appsOf } from '../../ipc/journal/event-line.ts';
import type { EventView } from '../../ipc/journal/event-views.ts';
import { isPattern, matcherOf } from '../../ipc/patterns.ts';
import type { ProcessView } from '../../ipc/views.ts';
import type { FollowingStart } from '../command.ts';
import { readJournal } from './journal.ts';

interface PastOptions {
  file: string;
  targets: readonly string[];
  /** Milliseconds since 1970. */
  since: number;
  /** What runs now. */
  running: readonly ProcessView[];
  print(event: EventView): void;
}

export type PastEvents = ReturnType<typeof createPast>;

export function createPast({ file, targets, since, running, print }: PastOptions) {
  let count = 0;
  let isFollowed = false;

  /** What the previous daemon had to tell was heard, so the rest begins with the next one. */
  function missed(all: EventView[], { daemon }: FollowingStart): EventView[] {
    const from = all.findLastIndex(({ type, pid }) => type === 'daemon' && pid === daemon);
    return from === -1 ? [] : all.slice(from);
  }

  return {
    /** The events of which `print` was called. */
    get count() {
      return count;
    },
    /** Whether `print` was called for a daemon, which has told the events since then. */
    get isFollowed() {
      return isFollowed;
    },
    /** `start`: where the events of a daemon begin, if they are followed. Throws CANNOT_READ_JOURNAL. */
    print(start?: FollowingStart): void {
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

type IsMeant = (event: EventView) => boolean;

/**
 * Which events the targets mean. Apps may have been deleted since, so the daemon cannot tell. `running`: what runs now, which tells the
 * apps of a namespace. No words mean all events.
 */
export function pastFilter(
  words: readonly string[],
  past: readonly EventView[],
  running: readonly ProcessView[],
): IsMeant {
  if (words.length === 0) return () => true;
  const filters = words.map((word) => filterOf(word, past, running));
  return (event) => filters.some((isMeant) => isMeant(event));
}

function filterOf(word: string, past: readonly EventView[], running: readonly ProcessView[]): IsMeant {
  if (word === 'all') return (event) => appsOf(event).length > 0;
  if (isPattern(word)) {
    const expression = matcherOf(word);
    return (event) => appsOf(event).some((app) => expression.test(app));
  }
  if (/^\d+$/.test(word)) {
    const id = Number(word);
    const owners = new Set(past.filter((event) => event.id === id).map(({ app }) => app));
    // What concerns an app as a whole concerns each of its processes.
    return (event) => event.id === id || (event.id === undefined && appsOf(event).some((app) => owners.has(app)));
  }
  const members = running.filter(({ namespace }) => namespace === word).map(({ name }) => name);
  const names = new Set([word, ...members]);
  return (event) => appsOf(event).some((app) => names.has(app));
}
