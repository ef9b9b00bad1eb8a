// Replaces processes whose event loop is blocked.
import { stackQuestion } from '../../../client/stacks/question.ts';
import { whyNoStack } from '../../../client/stacks/why-no-stack.ts';
import type { DeathFrame, EndReason } from '../../../ipc/records/deaths.ts';
import { hasPrivateErrorLog, mayBePaused } from '../../../os/blocked/inspector.ts';
import { standingOf } from '../../../os/blocked/standing.ts';
import { mainThreadOf, RunCount, threadTimesOf } from '../../../os/blocked/threads.ts';
import { hasProc } from '../../../os/proc.ts';
import type { Clock } from '../../../shared/clock.ts';
import { detailOf } from '../../../shared/errors.ts';
import { installed } from '../../../shared/paths.ts';
import { throwUncaught } from '../../../shared/throw-uncaught.ts';
import { renderDuration } from '../../../shared/units.ts';
import type { Group } from '../../apps/group.ts';
import type { EventBus } from '../../events.ts';
import type { Child } from '../../launch/launcher.ts';
import { findStack, type Job } from '../../launch/stack-finder.ts';
import { isOnline } from '../../process/lifecycle/classes.ts';
import { ask, isStoppedByQuestion } from '../../process/questions.ts';
import { isAttachable, reportsReadiness } from '../../process/worker-line.ts';
import type { Spared } from './judge.ts';
import { type BlockedVerdict, watchLoops } from './watch-loops.ts';

const reasons: Record<Spared, string> = {
  stopped: 'it is stopped by a signal, a debugger or its cgroup',
  inspected: 'nsv has stopped it to look into it',
  starved: 'the machine gives it too little CPU time to tell',
  debugged: 'it uses no CPU, and a debugger may have paused it: its inspector seems to be open',
  'daemon late': 'nsv itself was held up meanwhile',
};

export interface WatchdogDeps {
  clock: Clock;
  events: Pick<EventBus, 'emit'>;
}

/** Returns a function that detaches it. */
export function attachWatchdog(limit: number, group: Group, { clock, events }: WatchdogDeps): () => void {
  const warn = (detail: string) => events.emit({ type: 'warning', app: group.name, detail });
  if (!hasProc) {
    warn('event loops are not watched: that needs /proc, which this system does not have');
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
    ask(child, onAnswer) {
      const asked = ask(child, { kind: 'turn' }, (step) => onAnswer(step !== 'lost'));
      return asked && (() => asked.unask());
    },
    onBlocked(child, verdict) {
      const process = group.processes.find((candidate) => candidate.child === child);
      if (!process || process.isExcessive) return;
      const detail = describe(verdict, limit);
      const reason: EndReason = { cause: 'blocked loop', detail };
      process.exceed(reason);
      // The successor is not held back for it. The process lives until that is ready, and the reason is used when it ends.
      whereIs(child)
        .then(({ stack, text }) => {
          Object.assign(reason, { detail: `${detail}; ${text}`, ...(stack.length > 0 && { stack }) });
          const { id, slot } = process;
          group.emit({ type: 'blocked', app: group.name, id, slot, pid: child.pid, reason: reason.detail! });
        })
        .catch(throwUncaught);
    },
    onSpared(child, reason) {
      const limitText = renderDuration(limit);
      warn(`process ${child.pid} has not turned its event loop for ${limitText}, but ${reasons[reason]}`);
    },
  });
}

function describe({ forMs, ran }: BlockedVerdict, limit: number): string {
  return `event loop blocked for ${renderDuration(forMs)}, using ${ran} % of a CPU (limit ${renderDuration(limit)})`;
}

function portsOf({ sockets }: Group): ReadonlySet<number> {
  return new Set(sockets.addresses().map((address) => Number(/(\d+)$/.exec(address)?.[1])));
}

/** Characters: it is the argument of a program. */
const longestStack = 100_000;

interface Where {
  /** Innermost call first; empty if there is none. */
  stack: DeathFrame[];
  /** One line for people. */
  text: string;
}

/** Never rejects. */
async function whereIs(child: Child): Promise<Where> {
  try {
    const detach = (from: number) => detachLater(child, from);
    const { stack, at, problem } = await findStack(installed.stackFinder, await jobFor(child), detach);
    return stack.length > 0 ? { stack, text: `in ${at}` } : unknown(problem, child.pid);
  } catch (error) {
    return unknown(detailOf(error), child.pid);
  }
}

/** By the signal, or else by a thread. Throws the reason if it can be neither. */
async function jobFor(child: Child): Promise<Job> {
  const { pid, startTime = null, stackThread } = child;
  const attachable = isAttachable(child) && hasPrivateErrorLog(pid);
  const problem = whyNoStack({ attachable, startTime }, standingOf(pid));
  if (problem === undefined && startTime !== null) return { pid, startTime };
  if (!stackThread || attachable) throw new Error(problem);
  const stack = JSON.stringify(await stackThread.evaluate(stackQuestion));
  if (stack === undefined || stack.length > longestStack) throw new Error('its thread does not answer');
  return { stack };
}

/** The question waits in the channel until the event loop turns. */
function detachLater(child: Child, from: number): void {
  const asked = ask(child, { kind: 'detach', from }, (step) => {
    if (step === 'part') asked?.more();
  });
}

function unknown(problem: string, pid: number): Where {
  const children = standingOf(pid)?.children ?? [];
  const commands = children.map(({ command }) => command).join(', ');
  return { stack: [], text: `no stack: ${problem}${commands && `; its child processes: ${commands}`}` };
}
