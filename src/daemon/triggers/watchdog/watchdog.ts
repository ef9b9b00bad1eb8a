// Replaces processes whose event loop is blocked.

import type { EndReason } from '../../../ipc/records/deaths.ts';
import { mayBePaused } from '../../../os/blocked/inspector.ts';
import { mainThreadOf, RunCount, threadTimesOf } from '../../../os/blocked/threads.ts';
import { hasProc } from '../../../os/proc.ts';
import type { Clock } from '../../../shared/clock.ts';
import { installed } from '../../../shared/paths.ts';
import { throwUncaught } from '../../../shared/throw-uncaught.ts';
import { renderDuration } from '../../../shared/units.ts';
import type { Group } from '../../apps/group.ts';
import { isOnline } from '../../process/lifecycle/classes.ts';
import { ask, isStoppedByQuestion } from '../../process/questions.ts';
import { reportsReadiness } from '../../process/worker-line.ts';
import type { Spared } from './judge.ts';
import { type Verdict, watchLoops } from './watch-loops.ts';
import { whereIs } from './where-is.ts';

const reasons: Record<Spared, string> = {
  stopped: 'it is stopped by a signal, a debugger or its cgroup',
  inspected: 'nsv has stopped it to look into it',
  starved: 'the machine gives it too little CPU time to tell',
  debugged: 'it uses no CPU, and a debugger may have paused it: its inspector seems to be open',
  'daemon late': 'nsv itself was held up meanwhile',
};

export interface WatchdogDeps {
  clock: Clock;
  log(group: Group, text: string): void;
}

/** Returns a function that detaches it. */
export function attachWatchdog(limit: number, group: Group, { clock, log }: WatchdogDeps): () => void {
  if (!hasProc) {
    log(group, 'event loops are not watched: that needs /proc, which this system does not have');
    return () => {};
  }
  return watchLoops({
    clock,
    limit,
    sight: {
      countRuns: (pid) => new RunCount(pid),
      mainThreadOf,
      threadTimesOf,
      isInspected: isStoppedByQuestion,
      isDebugged: (pid) => mayBePaused(pid, portsOf(group)),
    },
    processes: () =>
      group.processes.filter(isOnline).flatMap(({ child, state, expectsToListen }) => {
        if (!child) return [];
        const isLoaded = expectsToListen || group.spec.waitReady || reportsReadiness(child);
        return [{ child, since: state.since, isLoaded }];
      }),
    ask(child, heard) {
      const asked = ask(child, { kind: 'turn' }, (step) => heard(step !== 'lost'));
      return asked && (() => asked.unask());
    },
    onBlocked(child, verdict) {
      const process = group.processes.find((candidate) => candidate.child === child);
      if (!process || process.isExcessive) return;
      const detail = describe(verdict, limit);
      const reason: EndReason = { cause: 'blocked loop', detail };
      process.exceed(reason);
      // The successor is not held back for it. The process lives until that is ready, and the reason is used when it ends.
      whereIs(child, installed.stackFinder)
        .then(({ stack, text }) => {
          Object.assign(reason, { detail: `${detail}; ${text}`, ...(stack.length > 0 && { stack }) });
          const { id, slot } = process;
          group.emit({ type: 'blocked', app: group.name, id, slot, pid: child.pid, reason: reason.detail! });
        })
        .catch(throwUncaught);
    },
    onSpared(child, reason) {
      const limitText = renderDuration(limit);
      log(group, `process ${child.pid} has not turned its event loop for ${limitText}, but ${reasons[reason]}`);
    },
  });
}

function describe({ forMs, ran }: Verdict, limit: number): string {
  return `event loop blocked for ${renderDuration(forMs)}, using ${ran} % of a CPU (limit ${renderDuration(limit)})`;
}

function portsOf({ sockets }: Group): ReadonlySet<number> {
  return new Set(sockets.addresses().map((address) => Number(/(\d+)$/.exec(address)?.[1])));
}
