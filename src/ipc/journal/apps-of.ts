import type { EventView } from './event-views.ts';

/** The apps that an event concerns. */
export function appsOf({ app, apps = [] }: Pick<EventView, 'app' | 'apps'>): string[] {
  return app === undefined ? apps : [app, ...apps];
}
