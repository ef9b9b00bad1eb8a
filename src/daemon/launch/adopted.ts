// Adopts processes that a dead daemon has left. They are not children of this daemon, so the system reports neither
// their exit nor its cause. Node processes reconnect, and from then on are treated like children.
import type { Channel } from '../../channels/channel.ts';
import type { AppSpec } from '../../config/app-spec.ts';
import type { Exit } from '../../ipc/views.ts';
import type { AppCgroups } from '../../os/cgroups/app-cgroups.ts';
import { isSameProcess } from '../../os/proc.ts';
import type { Handle } from '../../os/sockets/node-handles.ts';
import type { Clock } from '../../shared/clock.ts';
import { failure } from '../../shared/errors.ts';
import { HelperLink } from '../channels/line.ts';
import { treeMarkOf } from './descendants.ts';
import { inputFrom } from './input.ts';
import type { ChildEvents, Launcher, LaunchPlan, ProcessIdentity } from './launcher.ts';
import { foundCgroup } from './limits.ts';

/** The exit of a process that was not a child of this daemon. */
export const unknownExit: Exit = { code: null, signal: null };

/** A start time that no process has. It keeps a new process with the pid of a dead one from being mistaken for it. */
const nobody = -1;
/** Milliseconds between checks of processes whose exit nothing else reports. */
const lookEvery = 300;
/** The same for a process that has closed its channel, which usually means that it exits. */
const lookSoon = 10;

export type Adopter = ReturnType<typeof createAdopter>;

export interface AdopterOptions {
  clock: Clock;
  /** The standard input of a process, by mark, if the previous daemon handed it over. */
  inputOf?: ((mark: string) => Handle | undefined) | undefined;
  /** For processes of apps with limits. */
  cgroups?: AppCgroups;
}

export function createAdopter({ clock, inputOf = () => undefined, cgroups }: AdopterOptions) {
  const adopted = new Map<string, AdoptedChild>();
  const watched = new Set<AdoptedChild>();
  let cancel = () => {};
  let nextLook = Number.POSITIVE_INFINITY;

  function look(): void {
    nextLook = Number.POSITIVE_INFINITY;
    const dead = [...watched].filter((child) => !isSameProcess(child));
    for (const child of dead) {
      watched.delete(child);
      adopted.delete(child.mark);
    }
    reportNext(dead);
    if (watched.size > 0) lookIn(lookEvery);
  }

  /** Reports one exit per turn of the loop: each one searches for descendants, so 300 at once block the daemon. */
  function reportNext([child, ...others]: AdoptedChild[]): void {
    if (!child) return;
    child.events.exited(unknownExit);
    setImmediate(() => reportNext(others));
  }

  function lookIn(ms: number): void {
    const at = clock.now() + ms;
    if (at >= nextLook) return;
    cancel();
    nextLook = at;
    cancel = clock.after(ms, look);
  }

  function watch(child: AdoptedChild, ms: number): void {
    watched.add(child);
    lookIn(ms);
  }

  return {
    /** A launcher that starts nothing, but adopts this process or reports its exit. `identity`: null if there is none. */
    finderOf: (identity: ProcessIdentity | null, isAlive: boolean): Launcher => ({
      launch(plan, events) {
        if (!identity) throw failure('INTERNAL', { detail: `"${plan.spec.name}" has no process to adopt` });
        const startTime = isAlive ? identity.startTime : nobody;
        const child = adoptedChild({ ...identity, startTime }, plan, events, inputOf(identity.mark), cgroups);
        adopted.set(identity.mark, child);
        // Not synchronously: the caller has to receive the child first.
        watch(child, 0);
        return child;
      },
    }),
    /**
     * Attaches the channel of a process that has reconnected. Returns false if it was not adopted. `isOf`: whether the
     * channel may be that of a process of the app.
     */
    attach(mark: string, pid: number, channel: Channel, isOf: (spec: AppSpec) => boolean) {
      const child = adopted.get(mark);
      if (child?.pid !== pid || !isOf(child.plan.spec) || !child.line.attach(channel)) return false;
      watched.delete(child);
      channel.onceClosed(() => watch(child, lookSoon));
      return true;
    },
  };
}

type AdoptedChild = ReturnType<typeof adoptedChild>;

function adoptedChild(
  { pid, startTime, mark, cgroup, ...files }: ProcessIdentity,
  launched: LaunchPlan,
  events: ChildEvents,
  input: Handle | undefined,
  cgroups: AppCgroups | undefined,
) {
  const plan: LaunchPlan = { ...launched, mark, ...files };
  const tree = treeMarkOf(plan);
  const line = new HelperLink(events, plan.spec.node);
  return {
    pid,
    startTime,
    plan,
    tree,
    cgroup: cgroup ?? foundCgroup(plan.spec, tree, cgroups),
    mark,
    events,
    input: input && inputFrom(input),
    line,
    get isAway() {
      return line.isAwaited;
    },
    send: line.send,
  };
}
