// One instance: holds its state, arms its one timer, performs the effects. All decisions are in lifecycle.ts.
import type { AppSpec } from '../config/app-spec.ts';
import type { Exit } from '../ipc/views.ts';
import type { UpMessage } from '../ipc/worker-messages.ts';
import type { Clock } from '../shared/clock.ts';
import { detailOf } from '../shared/errors.ts';
import type { DaemonEvent } from './events.ts';
import { Family, type Reaper } from './family.ts';
import type { Child, Launcher, LaunchPlan } from './launch/launcher.ts';
import {
  type Context,
  deadlineOf,
  type Effect,
  type Event,
  isRunning,
  next,
  type Readiness,
  type State,
} from './lifecycle.ts';
import { type Death, describeExit, type Verdict } from './restart-policy.ts';
import type { GroupSockets } from './sockets/group-sockets.ts';

/** What the machine offers: replaced as a whole in tests of the daemon's logic. */
export interface Host extends Reaper {
  clock: Clock;
  launcher: Launcher;
}

/** What a process needs of its group. */
export interface Surroundings {
  readonly spec: AppSpec;
  readonly sockets: GroupSockets;
  plan(process: ManagedProcess): LaunchPlan;
  /** Judges a death; counts it against the group's restart limit. */
  judge(process: ManagedProcess, death: Death): Verdict;
  /** Called after each change of state. */
  changed(process: ManagedProcess): void;
  emit(event: DaemonEvent): void;
}

export class ManagedProcess {
  readonly id: number;
  readonly slot: number;
  /** Restarts that nobody asked for. */
  restarts = 0;
  /** How the last process of this slot ended. */
  lastExit: Exit | null = null;
  /** Wall-clock time of the last spawn, milliseconds since 1970. */
  spawnedAt: number | null = null;
  /** Why the last attempt to execute it failed; null when it was executed. */
  spawnError: unknown = null;
  /** Once a process of this slot has listened, the next one is ready only when it listens too. */
  #expectsToListen = false;
  readonly #group: Surroundings;
  readonly #host: Host;
  readonly #events: Event[] = [];
  readonly #watchers = new Set<() => void>();
  #state: State = { kind: 'stopped' };
  #child: Child | undefined;
  #family: Family | undefined;
  #cancelDeadline: (() => void) | undefined;

  constructor(id: number, slot: number, group: Surroundings, host: Host) {
    this.id = id;
    this.slot = slot;
    this.#group = group;
    this.#host = host;
  }

  get expectsToListen(): boolean {
    return this.#expectsToListen;
  }

  get state(): State {
    return this.#state;
  }

  /** The living child; undefined when none runs. */
  get child(): Child | undefined {
    return isRunning(this.#state) ? this.#child : undefined;
  }

  /**
   * At somebody's wish. What the last process of the slot did no longer counts, unless this one is to take its place:
   * then it is ready only when it listens as well.
   */
  start(expectsToListen = false): void {
    this.#expectsToListen = expectsToListen;
    this.#dispatch({ type: 'start' });
  }

  stop(): void {
    this.#dispatch({ type: 'stop' });
  }

  /** Resolves with the first value that `look` finds, now or after a later change of state. */
  until<T>(look: (process: this) => T | undefined, abort?: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const done = () => {
        this.#watchers.delete(check);
        abort?.removeEventListener('abort', aborted);
      };
      const aborted = () => {
        done();
        reject(abort?.reason);
      };
      const check = () => {
        const found = look(this);
        if (found === undefined) return;
        done();
        resolve(found);
      };
      if (abort?.aborted) return reject(abort.reason);
      abort?.addEventListener('abort', aborted);
      this.#watchers.add(check);
      check();
    });
  }

  /** An effect may cause the next event at once: events queue, so that a step is whole before the next begins. */
  #dispatch(event: Event): void {
    this.#events.push(event);
    if (this.#events.length > 1) return;
    const before = this.#state;
    try {
      for (let event = this.#events[0]; event; event = this.#events[0]) {
        const { state, effects } = next(this.#state, event, this.#context());
        this.#state = state;
        for (const effect of effects) this.#perform(effect);
        this.#events.shift();
      }
    } finally {
      this.#events.length = 0;
    }
    if (this.#state === before) return;
    this.#armDeadline();
    this.#group.changed(this);
    for (const watcher of this.#watchers) watcher();
  }

  #context(): Context {
    const { name, killTimeout, minUptime, listenTimeout } = this.#group.spec;
    return { name, killTimeout, minUptime, listenTimeout, readiness: this.#readiness(), now: this.#host.clock.now() };
  }

  #readiness(): Readiness {
    if (this.#group.spec.waitReady) return 'message';
    return this.#expectsToListen ? 'listening' : 'any';
  }

  #armDeadline(): void {
    this.#cancelDeadline?.();
    this.#cancelDeadline = undefined;
    const deadline = deadlineOf(this.#state);
    if (deadline === null) return;
    const { clock } = this.#host;
    this.#cancelDeadline = clock.after(Math.max(0, deadline - clock.now()), () => this.#dispatch({ type: 'deadline' }));
  }

  #perform(effect: Effect): void {
    switch (effect.do) {
      case 'spawn':
        this.#spawn();
        break;
      case 'ask':
        this.#family?.ask(this.#group.spec.stopSignal);
        break;
      case 'kill':
        this.#family?.kill();
        break;
      case 'clean':
        this.#family?.clean();
        break;
      case 'look':
        if (this.#family?.isGone()) this.#events.push({ type: 'cleared' });
    }
  }

  #spawn(): void {
    const { clock, launcher } = this.#host;
    this.spawnedAt = clock.wall();
    try {
      const child: Child = launcher.launch(this.#group.plan(this), {
        exited: (exit) => this.#exited(child, exit),
        message: (message, internal) => this.#heard(child, message, internal),
      });
      this.#child = child;
      this.#family = new Family(child, this.#host);
      this.spawnError = null;
      this.#events.push({ type: 'spawned', pid: child.pid });
      this.#group.emit({ type: 'started', pid: child.pid, ...this.#subject() });
    } catch (error) {
      this.#child = undefined;
      this.#family = undefined;
      this.spawnError = error;
      this.#group.emit({ type: 'unspawnable', detail: detailOf(error), ...this.#subject() });
      this.#events.push({ type: 'failed', verdict: this.#judge(null, detailOf(error), 0) });
    }
  }

  #exited(child: Child, exit: Exit): void {
    if (child !== this.#child || !isRunning(this.#state)) return;
    this.lastExit = exit;
    this.#group.sockets.released(child);
    const asked = this.#state.kind === 'stopping';
    this.#group.emit({ type: 'ended', pid: child.pid, exit, asked, ...this.#subject() });
    const uptime = this.#host.clock.now() - this.#state.since;
    const verdict: Verdict = asked ? { kind: 'rest' } : this.#judge(exit, describeExit(exit), uptime);
    this.#dispatch({ type: 'exited', verdict });
  }

  #judge(exit: Exit | null, cause: string, uptime: number): Verdict {
    const failures = 'failures' in this.#state ? this.#state.failures : 0;
    const verdict = this.#group.judge(this, { now: this.#host.clock.now(), exit, cause, uptime, failures });
    if (verdict.kind === 'again') {
      this.restarts += 1;
      this.#group.emit({ type: 'restart', delay: verdict.delay, ...this.#subject() });
    }
    return verdict;
  }

  #heard(child: Child, message: unknown, internal: boolean): void {
    if (child !== this.#child) return;
    if (!internal) {
      if (message === 'ready') this.#dispatch({ type: 'ready' });
      return;
    }
    const told = message as UpMessage;
    // An app that closes its server because it was asked to leave does not want its successor's clients refused.
    if (told.type === 'closed' && this.#state.kind === 'stopping') return;
    const listens = this.#group.sockets.receive(this.slot, child, told);
    if (!listens) return;
    this.#expectsToListen = true;
    this.#dispatch({ type: 'listening' });
  }

  #subject() {
    return { app: this.#group.spec.name, id: this.id, slot: this.slot };
  }
}
