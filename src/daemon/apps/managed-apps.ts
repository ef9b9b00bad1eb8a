// The managed apps, each with the triggers that restart it from outside, until it is forgotten.

import type { Report } from '../../ipc/protocol.ts';
import type { Successor } from '../process/record.ts';
import type { Dependencies } from './depends-on/dependencies.ts';
import type { Group } from './group.ts';
import * as operations from './operations.ts';
import type { Registry } from './registry.ts';

export interface ManagedApps {
  /** Attaches the triggers of the app's current settings, then detaches the old ones. Rejects with BAD_OPTION. */
  attach(group: Group): Promise<void>;
  /** False if no command has attached the triggers yet, or the app is gone. */
  isAttached(group: Group): boolean;
  /** Whether the app runs, or a command is about to start it. */
  isInUse(group: Group): boolean;
  /** Stops the app and forgets it. `successor`: the app that takes its place. */
  remove(group: Group, by: string, successor?: Successor, report?: Report): Promise<void>;
}

/** `attach` resolves with a function that detaches the triggers. */
export function createManagedApps(
  registry: Registry,
  dependencies: Dependencies,
  attach: (group: Group) => Promise<() => void>,
): ManagedApps {
  const detach = new Map<Group, () => void>();
  return {
    async attach(group) {
      const letGo = await attach(group);
      if (group.isRetired) return letGo();
      detach.get(group)?.();
      detach.set(group, letGo);
      group.inApp.begin();
    },
    isAttached: (group) => detach.has(group),
    isInUse(group) {
      if (group.isActive || group.hold.isStartDue) return true;
      return !group.isRetired && (!detach.has(group) || group.queue.current !== undefined);
    },
    async remove(group, by, successor, report) {
      await operations.remove(group, by, successor, report);
      detach.get(group)?.();
      detach.delete(group);
      group.inApp.close();
      registry.remove(group);
      dependencies.removed(group);
    },
  };
}
