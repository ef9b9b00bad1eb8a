// The diagrams of the three tables.
import { eventTypes, kinds, next } from '../../../src/daemon/process/lifecycle/lifecycle.ts';
import type { EventType, Kind, LifecycleEvent, State } from '../../../src/daemon/process/lifecycle/state.ts';
import { type LifeEvent, lifeEventTypes, lives, nextOfLife } from '../../../src/worker/shutdown/life-table.ts';
import { slotCases } from '../slot-cases.ts';
import { contextOf } from '../supervised.ts';

/** The diagram of the state table, found by asking every cell. */
export function lifecycle(): string {
  const arrows = kinds.flatMap((from) => eventTypes.flatMap((type) => arrowsFrom(from, type)));
  return ['```mermaid', 'stateDiagram-v2', ...new Set(arrows), '```'].join('\n');
}

/** Where the outcome of an event depends on the settings or on other apps, one context for each outcome. */
const contexts = [
  { rules: { maxRestarts: 10 } },
  { rules: { maxRestarts: 0 } },
  { rules: { autorestart: false } },
  { rules: { restartDelay: 1 } },
  { missingApps: ['db'] },
].map((settings) => contextOf({ now: 1, ...settings }));

/** Where it depends on the state, one state for each outcome. */
const variants = [
  { after: { kind: 'rest' } },
  { after: { kind: 'start' } },
  { after: { kind: 'again', delay: 0, failures: 1 } },
  { after: { kind: 'again', delay: 1, failures: 1 } },
  { after: { kind: 'giveup', reason: '' } },
  { isBinding: true },
];

function arrowsFrom(from: Kind, type: EventType): string[] {
  // What a process was under the daemon before this one is what it will be: no arrow says that.
  if (type === 'adopt') return [];
  const reasonOf = from === 'errored' ? 'crashed too often' : null;
  const base = { failures: 0, pid: 1, since: 0, deadline: 0, late: false, killAt: 0, gone: false, reason: reasonOf };
  const exit = { code: 1, signal: null };
  const reason = { cause: 'memory limit' };
  const event = { type, exit, reason, detail: '', pid: 1, delay: 0, failures: 1 } as unknown as LifecycleEvent;
  return contexts.flatMap((context) =>
    variants.flatMap((variant) => {
      try {
        const to = next({ ...base, ...variant, kind: from } as State, event, context).state.kind;
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

/** The diagram of the worker's table, found by asking every cell. */
export function workerLifecycle(): string {
  const arrows = lives.flatMap((from) =>
    lifeEventTypes.flatMap((type) =>
      [true, false].flatMap((hasHandler) => {
        const facts = { hasHandler, hasPart: false, isServing: true };
        const event = { type, asked: from, reason: '', by: 'app', othersServe: true } as LifeEvent;
        const { life } = nextOfLife(from, event, facts);
        const who =
          type === 'stop' && from === 'serving' ? `, ${hasHandler ? 'handled' : 'not handled'} by the app` : '';
        return life === from ? [] : [`  ${from} --> ${life}: ${type}${who}`];
      }),
    ),
  );
  return ['```mermaid', 'stateDiagram-v2', ...new Set(arrows), '```'].join('\n');
}
