// Probes the processes of apps that ask for it, and acts on the answers: a process that is not ready leaves the accept queue,
// one that is not alive is replaced. Load this file with `import()` when there is a probe.
import type { Probe } from '../../config/options/probe.ts';
import { describeReason, type EndReason } from '../../ipc/records/deaths.ts';
import type { TreeControl } from '../../os/process-tree.ts';
import type { Clock } from '../../shared/clock.ts';
import { oneByOne } from '../../shared/promises.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';
import type { Group } from '../apps/group.ts';
import type { EventBus } from '../events.ts';
import { endLeftProbes } from '../launch/exec-probe.ts';
import type { Child } from '../launch/launcher.ts';
import { isStarting, isStopping, isUp } from '../process/lifecycle/classes.ts';
import type { ManagedProcess } from '../process/process.ts';
import { askProbe, evidence } from './ask.ts';
import { firstPause, heed, intervalOf, type ProbeAnswer, type ProbeStanding } from './standing.ts';
import { watchProbe } from './watch.ts';

export interface ProbingDeps {
  clock: Clock;
  control: TreeControl;
  events: Pick<EventBus, 'emit'>;
}

/** Milliseconds for a process to connect to a daemon that has not started it. It tries once a second. */
const returnTime = 30_000;

interface Subject {
  group: Group;
  process: ManagedProcess;
  child: Child;
  /** Runs one command at a time, of all probes of the process. */
  inTurn<T>(run: () => Promise<T>): Promise<T>;
}

/** Probes the process until it ends, or is asked to. */
export function beginProbing(group: Group, process: ManagedProcess, child: Child, deps: ProbingDeps): void {
  const { readyProbe, liveProbe } = child.plan.spec;
  const isOver = () => process.child !== child || isStopping(process);
  if (isOver()) return;
  if (readyProbe?.exec !== undefined || liveProbe?.exec !== undefined) endLeftProbes(child, deps.control);
  const subject = { group, process, child, inTurn: oneByOne() };
  const closers: (() => void)[] = [];
  if (readyProbe) closers.push(watchReadiness(subject, readyProbe, deps));
  if (liveProbe) whenUp(process, isOver, () => closers.push(watchLife(subject, liveProbe, deps)));
  process
    .until(() => isOver() || undefined)
    .then(() => {
      for (const close of closers) close();
    })
    .catch(throwUncaught);
}

/** Until then, --listen-timeout limits how long it may take. */
function whenUp(process: ManagedProcess, isOver: () => boolean, begin: () => void): void {
  process
    .until(() => isOver() || isUp(process) || undefined)
    .then(() => isOver() || begin())
    .catch(throwUncaught);
}

function watchReadiness(subject: Subject, probe: Probe, deps: ProbingDeps): () => void {
  const { process } = subject;
  let standing: ProbeStanding = { good: !isStarting(process) && process.unready === null, against: 0 };
  // Others of the app get the clients, from the moment on in which it listens.
  if (isStarting(process)) process.probed('its ready probe has not succeeded yet');

  function onAnswer(answer: ProbeAnswer): void {
    const before = standing;
    standing = heed(before, answer, probe);
    if (standing.good) {
      if (!before.good) process.probed(null);
    } else if (!answer.ok) process.probed(evidence(probe, answer.why, isStarting(process) ? 1 : probe.failures));
    // It has just begun to succeed, or may have lost its channel meanwhile, and have come back by itself.
    else process.probed(process.unready);
  }

  const first = isStarting(process) ? probe.initialDelay : firstPause(probe, process.id);
  const interval = () => intervalOf(probe, isStarting(process), probe.exec !== undefined);
  return watchProbe({ ...watchOf(subject, probe, deps), first, interval, onAnswer });
}

function watchLife(subject: Subject, probe: Probe, deps: ProbingDeps): () => void {
  const { group, process, child } = subject;
  let standing: ProbeStanding = { good: true, against: 0 };

  function onAnswer(answer: ProbeAnswer): void {
    standing = heed(standing, answer, probe);
    if (standing.good || answer.ok) return;
    close();
    replace({ cause: 'probe', detail: evidence(probe, answer.why, probe.failures) });
  }

  function replace(reason: EndReason): void {
    const { id, slot } = process;
    group.emit({ type: 'not-alive', app: group.name, id, slot, pid: child.pid, reason: describeReason(reason) });
    group.sockets.accepting.leave(child, 'live probe');
    process.exceed(reason);
  }

  const first = probe.initialDelay + firstPause(probe, process.id);
  const close = watchProbe({ ...watchOf(subject, probe, deps), first, interval: () => probe.interval, onAnswer });
  return close;
}

function watchOf({ group, child, inTurn }: Subject, probe: Probe, { clock, control }: ProbingDeps) {
  let awaySince: number | undefined = clock.now();
  const mayBeAway = () => {
    awaySince ??= clock.now();
    return clock.now() - awaySince < returnTime;
  };
  const asking = { probing: group.sockets.probing, control, mayBeAway };
  return {
    clock,
    timeout: probe.timeout,
    ask(abort: AbortSignal) {
      // It will be away again if its broker dies.
      if (!child.isAway) awaySince = undefined;
      return askProbe(probe, child, asking, abort);
    },
    ...(probe.exec !== undefined && { inTurn }),
  };
}
