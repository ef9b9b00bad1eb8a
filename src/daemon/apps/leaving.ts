// Decides for how long a replacement waits for the ends of old processes.
//
// Where other processes serve, a command goes on when those that end serve nobody any more: they have only idle connections,
// or none at all. The slot of each has another process by then, so no instance is away, and what they cost is memory. Idle
// connections are gone within seconds. But a process without connections may wait for something that never comes until the
// kill timeout, which may be minutes: with its old processes, an app of eight instances would need twice its memory. So each
// replacement first waits until there is only one of these (as many as are replaced at the same time).
import type { Report } from '../../ipc/protocol.ts';
import type { EndReason } from '../../ipc/records/deaths.ts';
import { isAtRest } from '../process/lifecycle/classes.ts';
import { isUrgent } from '../slot/replacement.ts';
import type { Group } from './group.ts';

/** What the replacement of one process needs from its command. */
export interface Replacing {
  /** Why the old process ends. */
  reason: EndReason;
  /** How many are replaced at the same time. Default 1. */
  parallel?: number;
  abort: AbortSignal;
  report: Report;
}

/** Waits until there is room for a new process beside the old ones. */
export async function roomForOneMore(group: Group, { reason, parallel = 1, abort, report }: Replacing): Promise<void> {
  if (isUrgent(reason)) return;
  const ending = group.all.filter(({ remains }) => remains === 'nothing');
  for (const process of ending.slice(0, Math.max(0, ending.length - parallel))) {
    report(`waiting for an old process of ${group.name} (instance ${process.slot}) to exit`);
    await process.until((old) => isAtRest(old) || undefined, abort);
  }
}
