// One instance: holds its state, arms its one timer, performs the effects. All decisions are in lifecycle.ts.
import type { Exit } from '../../ipc/views.ts';
import { detailOf } from '../../shared/errors.ts';
import type { Child, Launcher } from '../launch/launcher.ts';
import { lifeOf } from '../launch/life.ts';
import { SlotHistory } from './history.ts';
import type { Host } from './host.ts';
import {
  deadlineOf,
  type Effect,
  hasProcess,
  type LifecycleEvent,
  next,
  type Readiness,
  type State,
  type TransitionContext,
} from './lifecycle.ts';
import type { ProcessContext } from './process-context.ts';
import type { ProcessRecord, Role } from './record.ts';
import { type Death, describeExit, type Verdict } from './restart-policy.ts';
import { RunningProcess } from './running-process.ts';
import { Waiters } from './waiters.ts';
import type { News } from './worker-line.ts';

export class ManagedProcess extends SlotHistory {
  readonly id: number;
  readonly slot: number;
  /** Why the last attempt to execute it failed; null when it was executed. */
  spawnError: unknown = null;
  readonly #group: ProcessContext;
  readonly #host: Host;
  readonly #events: LifecycleEvent[] = [];
  readonly #waiters = new Waiters();
  #state: State = { kind: 'stopped' };
  #running: RunningProcess | undefined;
  #hasEnded = false;
  #cancelDeadline: (() => void) | undefined;

  constructor(id: number, slot: number, group: ProcessContext, host: Host) {
    super();
    this.id = id;
    this.slot = slot;
    this.#group = group;
    this.#host = host;
  }

  get state(): State {
    return this.#state;
  }

  /** The living child; undefined when none runs. */
  get child(): Child | undefined {
    return hasProcess(this.#state) ? this.#running?.child : undefined;
  }

  /**
   * At somebody's wish. What the last process of the slot did no longer counts, unless this one is to take its place:
   * then it is ready only when it listens as well.
   */
  start(expectsToListen = false): void {
    this.expectsToListen = expectsToListen;
    this.#dispatch({ type: 'start' });
  }

  /** As a restart that nobody asked for. */
  startAsSuccessor(predecessor: ManagedProcess, { delay, failures }: { delay: number; failures: number }): void {
    this.expectsToListen = predecessor.expectsToListen;
    this.inherit(predecessor);
    this.#countRestart(delay);
    this.#dispatch({ type: 'succeed', delay, failures });
  }

  /** Adds what a predecessor came to after this one had taken its place. */
  settleFor({ cutShort, lastExit }: ManagedProcess): void {
    this.cutShort += cutShort;
    if (!this.#hasEnded) this.lastExit = lastExit;
  }

  stop(): void {
    this.#dispatch({ type: 'stop' });
  }

  /** Goes on where the daemon before this one was; `finder` launches nothing, it finds what runs. */
  adopt(record: ProcessRecord, finder: Launcher): void {
    this.recall(record);
    if (hasProcess(record.state)) this.#incarnate(finder);
    this.#dispatch({ type: 'adopt', state: record.state });
  }

  /** Gives up on it while it serves. */
  condemn(reason: string, cause: string): void {
    this.#tellGiveup(reason, cause);
    this.#dispatch({ type: 'condemn', reason });
  }

  /** SIGKILL to it and all its descendants; that it is gone is told as ever. */
  kill(): void {
    this.#perform({ do: 'kill' });
  }

  /** For the next daemon. What does not write to files cannot be adopted. */
  record(role: Role): ProcessRecord {
    const { id, slot, restarts, cutShort, lastExit, endedAsAsked, spawnedAt, expectsToListen } = this;
    const history = { restarts, cutShort, lastExit, endedAsAsked, spawnedAt, expectsToListen };
    return { id, slot, role, state: this.#state, ...history, life: this.child ? lifeOf(this.child) : null };
  }

  /** Resolves with the first value that `look` finds, now or after a later event. */
  until<T>(look: (process: this) => T | undefined, abort?: AbortSignal): Promise<T> {
    return this.#waiters.until(() => look(this), abort);
  }

  /** An effect may cause the next event at once: events queue, so that a step is whole before the next begins. */
  #dispatch(event: LifecycleEvent): void {
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
    if (this.#state !== before) {
      this.#armDeadline();
      this.#group.changed(this);
    }
    this.#waiters.changed();
  }

  #context(): TransitionContext {
    const { name, killTimeout, minUptime, listenTimeout, retryAfter } = this.#group.specOf(this);
    const now = this.#host.clock.now();
    return { name, killTimeout, minUptime, listenTimeout, retryAfter, readiness: this.#readiness(), now };
  }

  #readiness(): Readiness {
    if (this.#group.specOf(this).waitReady) return 'message';
    return this.expectsToListen ? 'listening' : 'any';
  }

  #armDeadline(): void {
    this.#cancelDeadline?.();
    this.#cancelDeadline = undefined;
    const deadline = deadlineOf(this.#state);
    if (deadline === null) return;
    const { clock } = this.#host;
    this.#cancelDeadline = clock.after(Math.max(0, deadline - clock.now()), () => this.#wake());
  }

  #wake(): void {
    if (this.#state.kind === 'errored') this.#group.retry(this);
    else if (this.#state.kind === 'backoff') this.#group.resume(this);
    else this.#dispatch({ type: 'deadline' });
  }

  /** The restart that was put off. */
  resume(): void {
    this.#dispatch({ type: 'deadline' });
  }

  /** Another try after nsv has given up. */
  retry(): void {
    this.#countRestart(0);
    this.#dispatch({ type: 'deadline' });
  }

  #perform(effect: Effect): void {
    switch (effect.do) {
      case 'spawn':
        this.#spawn();
        break;
      case 'ask':
        if (this.#running?.line.askToStop()) break;
        this.#perform({ do: 'signal' });
        this.#events.push({ type: 'answered' });
        break;
      case 'signal':
        this.#running?.tree.ask(this.#group.spec.stopSignal);
        break;
      case 'kill':
        this.#reportCut();
        this.#running?.tree.kill();
        break;
      case 'clean':
        this.#running?.tree.clean();
        break;
      case 'look':
        if (this.#running?.tree.isGone()) this.#events.push({ type: 'cleared' });
    }
  }

  #spawn(): void {
    this.spawnedAt = this.#host.clock.wall();
    try {
      const { pid } = this.#incarnate(this.#host.launcher).child;
      this.spawnError = null;
      this.#events.push({ type: 'spawned', pid });
      this.#group.emit({ type: 'started', pid, ...this.#subject() });
    } catch (error) {
      this.#running = undefined;
      this.spawnError = error;
      this.#group.emit({ type: 'unspawnable', detail: detailOf(error), ...this.#subject() });
      this.#events.push({ type: 'failed', verdict: this.#judge(null, detailOf(error), 0) });
    }
  }

  #incarnate(launcher: Launcher): RunningProcess {
    const running: RunningProcess = new RunningProcess(this.#group.plan(this), this.#group, this.#host, launcher, {
      news: this.#news(),
      exited: (exit) => this.#exited(running, exit),
      isCurrent: () => running === this.#running,
    });
    this.#running = running;
    return running;
  }

  #exited(running: RunningProcess, exit: Exit): void {
    if (running !== this.#running || !hasProcess(this.#state)) return;
    const { child } = running;
    this.lastExit = exit;
    this.#hasEnded = true;
    this.#group.sockets.released(child);
    const asked = this.#state.kind === 'stopping';
    this.endedAsAsked = asked;
    this.#group.emit({ type: 'ended', pid: child.pid, exit, asked, ...this.#subject() });
    const uptime = this.#host.clock.now() - this.#state.since;
    const verdict: Verdict = asked ? { kind: 'rest' } : this.#judge(exit, describeExit(exit), uptime);
    this.#dispatch({ type: 'exited', verdict });
  }

  #judge(exit: Exit | null, cause: string, uptime: number): Verdict {
    const verdict = this.#group.judge(this, this.#death(exit, cause, uptime));
    if (verdict.kind === 'again') this.#countRestart(verdict.delay);
    if (verdict.kind === 'giveup') this.#tellGiveup(verdict.reason, this.#running?.errors.lines().join('\n') || cause);
    return verdict;
  }

  #tellGiveup(reason: string, lastError: string): void {
    this.#group.emit({ type: 'giveup', reason, lastError, spec: this.#group.spec, ...this.#subject() });
  }

  #countRestart(delay: number): void {
    this.restarts += 1;
    this.#group.emit({ type: 'restart', delay, ...this.#subject() });
  }

  #death(exit: Exit | null, cause: string, uptime: number): Death {
    const failures = 'failures' in this.#state ? this.#state.failures : 0;
    return { now: this.#host.clock.now(), exit, cause, uptime, failures };
  }

  /** Judged now and not at its exit. The error that it leaves for may not be in its log yet: the cause tells it. */
  #leave(cause: string): void {
    const { state } = this;
    if (state.kind !== 'starting' && state.kind !== 'online') return;
    const uptime = this.#host.clock.now() - state.since;
    const verdict = this.#group.succeed(this, this.#death({ code: 1, signal: null }, cause, uptime));
    if (verdict.kind === 'giveup') this.#tellGiveup(verdict.reason, cause);
    this.#dispatch({ type: 'leave', verdict });
  }

  #reportCut(): void {
    const line = this.#running?.line;
    if (!line || line.inFlight === 0) return;
    const requests = line.inFlight;
    line.inFlight = 0;
    this.cutShort += requests;
    this.#group.emit({ type: 'cut short', requests, ...this.#subject() });
  }

  #news(): News {
    return {
      ready: () => this.#dispatch({ type: 'ready' }),
      answered: () => this.#dispatch({ type: 'answered' }),
      spent: (requests) => {
        if (this.child) this.#group.emit({ type: 'spent', pid: this.child.pid, requests, ...this.#subject() });
      },
      leaving: (reason) => this.#leave(reason),
      listening: () => {
        this.expectsToListen = true;
        this.#dispatch({ type: 'listening' });
      },
    };
  }

  #subject() {
    return { app: this.#group.spec.name, id: this.id, slot: this.slot };
  }
}
