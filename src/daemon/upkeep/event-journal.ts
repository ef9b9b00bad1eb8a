// Keeps what was asked and what nsv did by itself, for `nsv events --since`. Events are written in batches, a few times a second at
// most. Those that repeat what has just happened are only counted, so that a crash loop costs the daemon next to nothing and
// leaves room for the rest: a kind of event that goes on for hours gets a line a minute.
//
// A daemon that is killed loses what happened in the last fifth of a second, and the counts of repeated events since their last
// line. Nothing else is lost: the journal is written before a command has its reply, at exit and in a hand-over.
import { renderEventLine } from '../../ipc/journal/event-line.ts';
import { type Clock, realClock } from '../../shared/clock.ts';
import { viewEvent } from '../control/view.ts';
import type { DaemonEvent, Kept } from '../events.ts';
import type { JournalFile } from './journal-file.ts';

/** Milliseconds from an event until it is written. */
const writeAfter = 200;
/** Milliseconds in which the same event again is only counted; doubled as long as it goes on. */
const shortestPause = 1_000;
const longestPause = 60_000;
/** Different kinds of events that are told apart at a time. */
const mostKinds = 2_000;

interface Kind {
  /** The instance; undefined for what is not about one. */
  of: string | undefined;
  /** Since its last line. */
  last: Kept | undefined;
  pause: number;
  /** When its next line may be written. */
  due: number;
}

/** `log` gets what is kept, at once. */
export function createEventJournal(file: JournalFile, clock: Clock, log: (kept: Kept) => void = () => {}) {
  const kinds = new Map<string, Kind>();
  /** Those that have repeated since their last line, in the order of their last events. Of a thousand apps, most have not. */
  const repeated = new Set<Kind>();
  let waiting: Kept[] = [];
  let cancelWrite: (() => void) | undefined;
  let cancelLook: (() => void) | undefined;

  function keep(kept: Kept): void {
    waiting.push(kept);
    log(kept);
    cancelWrite ??= clock.after(writeAfter, write);
  }

  function write(): void {
    cancelWrite?.();
    cancelWrite = undefined;
    if (waiting.length > 0) file.append(waiting.map(render));
    waiting = [];
  }

  function count(kind: Kind, event: DaemonEvent): void {
    const at = clock.wall();
    const { count = 0, since = at } = kind.last?.repeats ?? {};
    kind.last = { event, at, repeats: { count: count + 1, since } };
    repeated.delete(kind);
    repeated.add(kind);
  }

  /** Keeps the counts of these kinds. */
  function keepCounts(isMeant: (kind: Kind) => boolean): void {
    for (const kind of [...repeated].filter(isMeant)) {
      keep(kind.last!);
      repeated.delete(kind);
      kind.last = undefined;
      kind.pause = Math.min(kind.pause * 2, longestPause);
      kind.due = clock.now() + kind.pause;
    }
  }

  /** Otherwise, what is kept of an instance might say last what did not happen last. */
  function keepCountsOf(instance: string): void {
    keepCounts(({ of }) => of === instance);
  }

  /** Keeps the counts of the kinds that are due. Forgets those that have not repeated. */
  function look(): void {
    for (const [key, kind] of kinds) {
      if (kind.due > clock.now()) continue;
      if (!kind.last) kinds.delete(key);
      else if (kind.of === undefined) keepCounts((one) => one === kind);
      else keepCountsOf(kind.of);
    }
  }

  function lookLater(): void {
    if (cancelLook || kinds.size === 0) return;
    const next = Math.min(...[...kinds.values()].map(({ due }) => due));
    // Not once for each: the events of a thousand apps are due one after another.
    cancelLook = clock.after(Math.max(writeAfter, next - clock.now()), () => {
      cancelLook = undefined;
      look();
      lookLater();
    });
  }

  function flush(): void {
    keepCounts(() => true);
    write();
  }

  return {
    add(event: DaemonEvent) {
      // An app may send as many as it likes.
      if (event.type === 'message') return;
      const of = 'id' in event ? `${event.id}|${event.app}` : undefined;
      const key = keyOf(event, of);
      const known = kinds.get(key);
      if (known) {
        count(known, event);
        return;
      }
      if (of !== undefined) keepCountsOf(of);
      keep({ event, at: clock.wall() });
      if (kinds.size < mostKinds)
        kinds.set(key, { of, last: undefined, pause: shortestPause, due: clock.now() + shortestPause });
      lookLater();
    },
    /** Writes everything so far. */
    flush,
    /** Does the same, and returns where the journal ends. */
    end() {
      flush();
      return file.end();
    },
  };
}

/** The line that stands for lines that could not be written. */
export function journalGap(count: number): string {
  const detail = `${count} events could not be written to the journal`;
  return render({ event: { type: 'daemon', pid: process.pid, detail }, at: realClock.wall() });
}

function render({ event, at, repeats }: Kept): string {
  const view = viewEvent(event, at);
  return renderEventLine(repeats && repeats.count > 1 ? { ...view, ...repeats } : view);
}

/** The same for events of a kind about an instance: how they differ may be the doing of the app, which may say as much as it likes. */
function keyOf(event: DaemonEvent, instance: string | undefined): string {
  if (instance === undefined) return JSON.stringify({ ...event, pid: 0 });
  const how = event.type === 'exit' ? `${event.exit.code}|${event.exit.signal}|${event.asked}` : '';
  return `${event.type}|${how}|${instance}`;
}
