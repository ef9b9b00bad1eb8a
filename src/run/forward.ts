// Forwards signals to the apps.
import type { Registry } from '../daemon/apps/registry.ts';
import { sendSignal } from '../os/terminate.ts';
import { treeOf } from '../os/tree.ts';

/** `wide`: to the whole session of each process, not only to the process itself. */
export function forward({ groups }: Registry, name: NodeJS.Signals, wide: boolean): void {
  for (const { child } of groups.flatMap(({ all }) => all)) {
    if (!child) continue;
    // Without its mark: a descendant that has left the session is not meant.
    const { pid, startTime } = child;
    for (const who of wide ? treeOf({ pid, startTime }) : [child]) sendSignal(who, name);
  }
}
