// Which events of the journal the targets mean. Apps may have been deleted since, so the daemon cannot tell.
import { appsOf } from '../../ipc/journal/event-line.ts';
import type { EventView } from '../../ipc/journal/event-views.ts';
import { isPattern, matcherOf } from '../../ipc/patterns.ts';
import type { ProcessView } from '../../ipc/views.ts';

type IsMeant = (event: EventView) => boolean;

/** `running`: what runs now, which tells the apps of a namespace. No words mean all events. */
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
