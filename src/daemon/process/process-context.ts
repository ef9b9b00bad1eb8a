// The app, as one of its processes sees it.
import type { AppSpec } from '../../config/app-spec.ts';
import type { EndReason } from '../../ipc/records/deaths.ts';
import type { HandledErrorKind } from '../../ipc/worker-messages.ts';
import { detailOf } from '../../shared/errors.ts';
import type { DaemonEvent } from '../events.ts';
import type { Child, LaunchPlan } from '../launch/launcher.ts';
import type { Problems } from '../problems.ts';
import type { GroupSockets } from '../sockets/group-sockets.ts';
import { isStarting, isUp } from './lifecycle/classes.ts';
import type { Restart } from './lifecycle/restart-policy.ts';
import type { Effect, LifecycleEvent, Readiness, SocketsFor, State, TransitionContext } from './lifecycle/state.ts';
import { type ProcessInApp, reportsReadiness } from './worker-line.ts';

/** Errors that a handler of the app has taken. */
export interface ProcessFailures {
  /** What the processes are to report. */
  readonly wanted: HandledErrorKind[];
  /** The process accepts no connections for now. */
  leaveQueue(child: Child): void;
  /** The process is still there after such an error. */
  livesOn(child: Child, kind: HandledErrorKind): void;
}

export interface Probing {
  /** The process runs, or was found running. Asks it until it ends, if its settings say so. */
  began(app: ProcessContext, process: ProcessOfApp, child: Child): void;
}

/** What the app has to know of a process. */
export interface ProcessOfApp {
  readonly id: number;
  readonly slot: number;
  readonly restarts: number;
  readonly state: State;
  readonly child: Child | undefined;
  readonly isFirst: boolean;
  readonly expectsToListen: boolean;
  readonly hasListened: boolean | null;
}

export interface ProcessContext {
  readonly spec: AppSpec;
  /** The settings of this process: those it was started with, or else will be. */
  settingsOf(process: ProcessOfApp): AppSpec;
  readonly sockets: GroupSockets;
  readonly problems: Pick<Problems, 'set' | 'detailOf'>;
  readonly failures: ProcessFailures;
  /** Asks processes how they are. */
  readonly probes?: Probing | undefined;
  readonly inApp: ProcessInApp;
  /** `nsv run` was asked to stop by SIGINT. */
  readonly isInterrupted: boolean;
  /** `isStart`: it is started at once, so the plan has a mark. */
  plan(process: ProcessOfApp, isStart?: boolean): LaunchPlan;
  /** The current state of the app's restart limit. */
  restartLimitOf(process: ProcessOfApp): Pick<TransitionContext, 'recent' | 'holdsSlot' | 'wait'> & {
    /** Whether it is to take a slot if it proves good. */
    isTrial: boolean;
  };
  countAgainstLimit(recent: readonly number[]): void;
  /** Starts another process in the slot of one that finishes its work. */
  startSuccessor(process: ProcessOfApp, restart: Restart): void;
  /** Replaces a process that exceeds a limit, when its turn comes. Rejects if that fails. */
  replace(process: ProcessOfApp, reason: EndReason): Promise<void>;
  /** Binds those of the app's sockets that are not held, as soon as no command is under way, then calls `bound`. */
  bindFor(process: ProcessOfApp, bound: (aborted: boolean) => void): void;
  /** The apps that this one depends on and that are not ready; undefined while not all apps are known. */
  readonly missingApps: readonly string[] | undefined;
  /** The sockets that a new process inherits. */
  readonly socketsFor: SocketsFor;
  /** Called after everything that has happened to a process, once what follows is done. `hasChanged`: its state, or what it serves. */
  happened(process: ProcessOfApp, hasChanged: boolean): void;
  emit(event: DaemonEvent): void;
}

type EffectOnApp = Extract<
  Effect,
  { do: 'succeed' | 'bind' | 'replace' | 'leaveQueue' | 'livesOn' | 'countAgainstLimit' | 'noteReport' }
>;

const withoutReport =
  'it did not send "ready" within --listen-timeout, but listens, and so counts as ready; call process.send(\'ready\'), or remove wait_ready';

/** Has the app perform what concerns more than the process. */
export function leaveToApp(
  app: ProcessContext,
  process: ProcessOfApp,
  effect: EffectOnApp,
  answer: (event: LifecycleEvent) => void,
): void {
  const { child } = process;
  if (effect.do === 'succeed') app.startSuccessor(process, effect);
  else if (effect.do === 'bind') app.bindFor(process, (aborted) => answer({ type: 'bound', aborted }));
  else if (effect.do === 'replace')
    app.replace(process, effect.reason).catch((error) => answer({ type: 'kept', detail: detailOf(error) }));
  else if (effect.do === 'countAgainstLimit') app.countAgainstLimit(effect.recent);
  else if (effect.do === 'noteReport') app.problems.set('ready', effect.isMissing ? withoutReport : null);
  else if (child && effect.do === 'leaveQueue') app.failures.leaveQueue(child);
  else if (child && effect.do === 'livesOn') app.failures.livesOn(child, effect.kind);
}

/** Everything a decision about the process depends on at this moment. */
export function contextOf(app: ProcessContext, process: ProcessOfApp, now: number): TransitionContext {
  const rules = app.settingsOf(process);
  const { name, listenTimeout, retryAfter, node: reportsLoaded } = rules;
  const { recent, holdsSlot, wait } = app.restartLimitOf(process);
  const readiness = readinessBy(rules, process);
  const isFirst = process.isFirst && process.state.kind !== 'online';
  const limit = { recent, holdsSlot, wait, isFirst };
  const ready = { readiness, reportsLoaded, ...readyTimeouts(rules, process) };
  const { wanted: deadlyErrors } = app.failures;
  const given = { deadlyErrors, name, listenTimeout, retryAfter, ...ready, rules, now, ...limit };
  return {
    ...given,
    get missingApps() {
      return app.missingApps;
    },
    get sockets() {
      return app.socketsFor;
    },
    get listens() {
      return process.child !== undefined && app.sockets.listening.addressesOf(process.child).length > 0;
    },
  };
}

/** Milliseconds that a program must stay up, once loaded, to be believed to work, if nothing else shows that it does. */
export const settleTime = 1_000;

/** The same for a Node program of which nothing is known: it may have to reach its database before it listens. */
const unknownSettleTime = 3_000;

/**
 * From when a program is loaded until it is taken for one that does not listen. One that never did is believed soon, and one that
 * did has all the time that it may take.
 */
function readyTimeouts({ node, listenTimeout }: AppSpec, { hasListened }: ProcessOfApp) {
  if (hasListened) return { readyTimeout: listenTimeout, idleTimeout: listenTimeout };
  const isUnknown = node && hasListened === null;
  return { readyTimeout: isUnknown ? unknownSettleTime : settleTime, idleTimeout: settleTime };
}

/** Whether the app says by itself when a process is ready, or a probe does, so that it need not be guessed. */
export function saysWhenReady({ waitReady, readyProbe }: AppSpec, child: Child | undefined): boolean {
  return waitReady || Boolean(readyProbe) || (child !== undefined && reportsReadiness(child));
}

/**
 * Whether it is to accept nothing yet: it says when it can serve, and has time left for that. Not if the last process never said it, nor
 * with a command as a probe, which may have to connect.
 */
export function isHeldBack(app: ProcessContext, process: ProcessOfApp): boolean {
  const settings = app.settingsOf(process);
  if (!isStarting(process) || isUp(process) || settings.readyProbe?.exec !== undefined) return false;
  return saysWhenReady(settings, process.child) && app.problems.detailOf('ready') === null;
}

export function readinessBy({ readyProbe, waitReady }: AppSpec, { expectsToListen, child }: ProcessOfApp): Readiness {
  if (readyProbe) return 'probe';
  if (waitReady || (child && reportsReadiness(child))) return 'message';
  return expectsToListen ? 'listening' : 'any';
}
