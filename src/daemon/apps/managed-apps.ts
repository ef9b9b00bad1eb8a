// The apps that are looked after: each with what restarts it from outside, until it is forgotten.

import type { Successor } from '../process/record.ts';
import type { Group } from './group.ts';
import * as operations from './operations.ts';
import type { Registry } from './registry.ts';

export interface ManagedApps {
  /** Attaches what restarts the app from outside, by the settings it has; what was attached is let go then. Rejects with BAD_OPTION. */
  attach(group: Group): Promise<void>;
  /** A command has not come so far, or the app is gone. */
  isAttached(group: Group): boolean;
  /** It runs, or a command is about to start it. */
  isInUse(group: Group): boolean;
  /** Stops the app and forgets it. `successor`: the app that is to take its place. */
  remove(group: Group, by: string, successor?: Successor): Promise<void>;
}

/** `attach` resolves with what detaches. */
export function createManagedApps(registry: Registry, attach: (group: Group) => Promise<() => void>): ManagedApps {
  const detach = new Map<Group, () => void>();
  return {
    async attach(group) {
      const letGo = await attach(group);
      if (group.isRetired) return letGo();
      detach.get(group)?.();
      detach.set(group, letGo);
    },
    isAttached: (group) => detach.has(group),
    isInUse(group) {
      if (group.isActive) return true;
      return !group.isRetired && (!detach.has(group) || group.queue.current !== undefined);
    },
    async remove(group, by, successor) {
      await operations.remove(group, by, successor);
      detach.get(group)?.();
      detach.delete(group);
      registry.remove(group);
    },
  };
}
