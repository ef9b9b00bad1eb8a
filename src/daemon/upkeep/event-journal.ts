// Keeps what was asked and what nsv did by itself, for `nsv events --since`. Events are written in batches, a few times a second at
// most. Those that repeat what has just happened are only counted, so that a crash loop costs the daemon next to nothing and
// leaves room for the rest: a kind of event that goes on for hours gets a line a minute.
//
// A daemon that is killed loses what happened in the last fifth of a second, and the counts of repeated events since their last
// line. Nothing else is lost: the journal is written before a command has its reply, at exit and in a hand-over.
import { renderEventLine } from '../../ipc/journal/event-line.ts';
import { type Clock, realClock } from '../../shared/clock.ts';
import { viewEvent } from '../control/view.ts';
import type { DaemonEvent } from '../events.ts';
import type { JournalFile } from './journal-file.ts';

/** Milliseconds from an event until it is written. */
const writeAfter = 200;
/** Milliseconds in which the same event again is only counted; doubled as long as it goes on. */
const shortestPause = 1_000;
const longestPause = 60_000;
/** Different kinds of events that are told apart at a time. */
const mostKinds = 2_000;

interface Kept {
  event: DaemonEvent;
  /** Wall clock. */
  at: number;
  /** The events that this one stands for. */
  repeats?: { count: number; since: number };
}

interface Kind {
  /** Since its last line. */
  last: Kept | undefined;
  pause: number;
  /** When its next line may be written. */
  due: number;
}

export function createEventJournal(file: JournalFile, clock: Clock) {
  const kinds = new Map<string, Kind>();
  /** Those that have repeated since their last line. Of a thousand apps, most have not. */
  const repeated = new Set<Kind>();
  let waiting: Kept[] = [];
  let cancelWrite: (() => void) | undefined;
  let cancelLook: (() => void) | undefined;

  function keep(kept: Kept): void {
    waiting.push(kept);
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
    repeated.add(kind);
  }

  function keepCount(kind: Kind, last: Kept, now: number): void {
    keep(last);
    repeated.delete(kind);
    kind.last = undefined;
    kind.pause = Math.min(kind.pause * 2, longestPause);
    kind.due = now + kind.pause;
  }

  /** Keeps the counts of the kinds that are due. Forgets those that have not repeated. */
  function look(): void {
    const now = clock.now();
    for (const [key, kind] of kinds) {
      if (kind.due > now) continue;
      if (kind.last) keepCount(kind, kind.last, now);
      else kinds.delete(key);
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
    const now = clock.now();
    for (const kind of repeated) if (kind.last) keepCount(kind, kind.last, now);
    write();
  }

  return {
    add(event: DaemonEvent) {
      // An app may send as many as it likes.
      if (event.type === 'message') return;
      const key = keyOf(event);
      const known = kinds.get(key);
      if (known) {
        count(known, event);
        return;
      }
      keep({ event, at: clock.wall() });
      if (kinds.size < mostKinds)
        kinds.set(key, { last: undefined, pause: shortestPause, due: clock.now() + shortestPause });
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

/** The same for events that differ in nothing but their pid, and in how long a restart is delayed. */
function keyOf(event: DaemonEvent): string {
  const { type } = event;
  const subject = 'id' in event ? `${type}|${event.id}|${event.app}` : type;
  switch (type) {
    case 'start':
    case 'online':
    case 'restart':
      return subject;
    case 'exit':
      return `${subject}|${event.exit.code}|${event.exit.signal}|${event.asked}`;
    case 'giveup':
      return `${subject}|${event.reason}`;
    default:
      return JSON.stringify({ ...event, pid: 0 });
  }
}
