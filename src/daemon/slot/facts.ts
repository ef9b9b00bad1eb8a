// What a decision about a slot depends on, looked up when the decision asks for it.
import { isAtRest, isServing } from '../process/lifecycle/classes.ts';
import type { ManagedProcess } from '../process/process.ts';
import { saysWhenReady } from '../process/process-context.ts';
import { startsServer } from '../sockets/own-ports.ts';
import { canOverlap } from './replacement.ts';
import type { SlotContext } from './slot-context.ts';
import type { StartOutcome } from './start-outcome.ts';
import type { SlotFacts } from './state.ts';

interface SlotProcesses {
  index: number;
  holder: ManagedProcess;
  trial: ManagedProcess | undefined;
  /** The process that was replaced last. */
  old: ManagedProcess | undefined;
  all: readonly ManagedProcess[];
  /** How the start of the process on trial has gone so far. */
  start(): StartOutcome | undefined;
}

export function factsOf({ index, holder, trial, old, all, start }: SlotProcesses, app: SlotContext): SlotFacts {
  return {
    name: app.spec.name,
    slot: index,
    exists: index < app.spec.instances,
    get now() {
      return app.host.clock.now();
    },
    get canOverlap() {
      return isServing(holder) && canOverlap(app.spec) && !startsServer(app, holder.child);
    },
    get isHolderAway() {
      return holder.child?.isAway === true;
    },
    get start() {
      return start();
    },
    get trial() {
      if (trial?.state.kind !== 'online') return undefined;
      const { since, loadedAt } = trial.state;
      return { since, loadedAt, listenTimeout: app.settingsOf(trial).listenTimeout };
    },
    get missing() {
      return trial ? missingOf(trial, app) : [];
    },
    get isTrialAtRest() {
      return !trial || isAtRest(trial);
    },
    get old() {
      return endOf(old ? [old] : []);
    },
    get all() {
      return endOf(all);
    },
  };
}

/** Where it is still expected to listen, unless it says by itself when it is ready. */
function missingOf(trial: ManagedProcess, { processes, sockets }: SlotContext) {
  const { child } = trial;
  if (!child || saysWhenReady(child.plan.spec, child)) return [];
  const others = processes.flatMap((other) => (other.state.kind === 'online' && other.child) || []);
  return sockets.served.missing(child, others);
}

/** `servesNobody`: each is at rest, has idle connections only or none at all, or waits itself for what is to come. */
function endOf(processes: readonly ManagedProcess[]): SlotFacts['all'] {
  return {
    isAtRest: processes.every(isAtRest),
    servesNobody: processes.every(
      (process) => isAtRest(process) || process.remains !== undefined || process.awaitsCommand,
    ),
  };
}
