// The diagrams of the two tables.
import { eventTypes, kinds, next } from '../../../src/daemon/process/lifecycle/lifecycle.ts';
import type { EventType, Kind, LifecycleEvent, State } from '../../../src/daemon/process/lifecycle/state.ts';
import { slotCases } from '../slot-cases.ts';
import { contextOf } from '../supervised.ts';

/** The diagram of the state table, found by asking every cell. */
export function lifecycle(): string {
  const arrows = kinds.flatMap((from) => eventTypes.flatMap((type) => arrowsFrom(from, type)));
  return ['```mermaid', 'stateDiagram-v2', ...new Set(arrows), '```'].join('\n');
}

/** Where the outcome of an event depends on the restart limit, one for each outcome. */
const limits = [{ maxRestarts: 10 }, { maxRestarts: 0 }, { autorestart: false }, { restartDelay: 1 }];

function arrowsFrom(from: Kind, type: EventType): string[] {
  // What a process was under the daemon before this one is what it will be: no arrow says that.
  if (type === 'adopt') return [];
  const base = { failures: 0, pid: 1, since: 0, deadline: 0, late: false, killAt: 0, gone: false, reason: '' };
  const exit = { code: 1, signal: null };
  const reason = { cause: 'asked' };
  const event = { type, exit, reason, detail: '', pid: 1, delay: 0, failures: 1 } as unknown as LifecycleEvent;
  return limits.flatMap((rules) =>
    (['rest', 'start', 'again', 'delayed', 'giveup'] as const).flatMap((sequel) => {
      const [kind, delay] = sequel === 'delayed' ? ['again', 1] : [sequel, 0];
      const state = { ...base, kind: from, after: { kind, reason: '', delay, failures: 1 } } as State;
      try {
        const to = next(state, event, contextOf({ now: 1, rules })).state.kind;
        return to === from ? [] : [`  ${from} --> ${to}: ${type}`];
      } catch {
        return [];
      }
    }),
  );
}

/** The diagram of the table of slots: its cases, as the test of the table has them. */
export function slotLifecycle(): string {
  const arrows = slotCases
    .filter(({ from, to }) => from.kind !== to.kind)
    .map(({ from, to, when }) => `  ${from.kind} --> ${to.kind}: ${when}`);
  return ['```mermaid', 'stateDiagram-v2', ...new Set(arrows), '```'].join('\n');
}
