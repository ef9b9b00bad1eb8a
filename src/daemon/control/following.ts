// Sends the events of apps to clients. Costs nothing while no client listens.
import type { JournalEnd } from '../../ipc/journal/event-views.ts';
import type { Follow } from '../../ipc/protocol.ts';
import type { Clock } from '../../shared/clock.ts';
import { isFailure } from '../../shared/errors.ts';
import { processesOf, type Selection } from '../apps/operations.ts';
import type { Registry } from '../apps/registry.ts';
import type { DaemonEvent, EventBus } from '../events.ts';
import { viewEvent } from './view.ts';

export interface FollowingDeps {
  registry: Registry;
  events: EventBus;
  clock: Clock;
  /** Writes all events so far to the journal, and returns where it ends. */
  journalEnd(): JournalEnd;
}

export function createFollowing({ registry, events, clock, journalEnd }: FollowingDeps) {
  const endings = new Set<() => void>();
  let isOver = false;
  return {
    /** Resolves when the client has gone, or the daemon is about to exit. Throws NO_SUCH_APP. */
    follow: (async ({ targets, journal = false }, _report, line) => {
      if (isOver) return {};
      const isMeant = createFilter(registry, targets);
      // In the same turn of the event loop as the subscription: no event is missed, and none is told twice.
      if (journal) line.notify('following', journalEnd());
      return new Promise((resolve) => {
        const unsubscribe = events.subscribe((event) => {
          if (isMeant(event)) line.notify('event', viewEvent(event, clock.wall()));
        });
        const end = () => {
          // Called twice when the daemon exits: by `end`, then by the close of the connection.
          if (!endings.delete(end)) return;
          unsubscribe();
          resolve({});
        };
        endings.add(end);
        line.onClose(end);
      });
    }) satisfies Follow,
    /** Ends all streams, so that every client gets its answer. */
    end() {
      isOver = true;
      for (const end of endings) end();
    },
  };
}

/** No targets select all apps, future ones too. Targets are resolved anew at each event: what they select changes. */
function createFilter(registry: Registry, words: string[]): (event: DaemonEvent) => boolean {
  if (words.length === 0) return () => true;
  const names = new Set(registry.select(words).map(({ group }) => group.name));
  return (event) => {
    if ('apps' in event) return selected(registry, words).some(({ group }) => (event.apps ?? []).includes(group.name));
    if (!('app' in event)) return false;
    // The app is gone, so no target can select it.
    if (event.type === 'delete') return names.delete(event.app);
    const selection = selected(registry, words).find(({ group }) => group.name === event.app);
    if (!selection) return false;
    names.add(event.app);
    return !('id' in event) || processesOf(selection).some(({ id }) => id === event.id);
  };
}

/** Resolves each target by itself: one that selects nothing for now must not hide what the others select. */
function selected(registry: Registry, words: string[]): Selection[] {
  return words.flatMap((word) => {
    try {
      return registry.select([word]);
    } catch (error) {
      if (isFailure(error, 'NO_SUCH_APP')) return [];
      throw error;
    }
  });
}
