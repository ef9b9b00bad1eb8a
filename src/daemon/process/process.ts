// One instance: holds its state, arms its one timer, performs the effects. All decisions are in lifecycle.ts.
import type { Exit } from '../../ipc/views.ts';
import { detailOf } from '../../shared/errors.ts';
import type { DaemonEvent } from '../events.ts';
import type { Child, Launcher } from '../launch/launcher.ts';
import { lifeOf } from '../launch/life.ts';
import { SlotHistory } from './history.ts';
import type { Host } from './host.ts';
import { next } from './lifecycle.ts';
import type { ProcessContext } from './process-context.ts';
import type { ProcessRecord, Role } from './record.ts';
import { RunningProcess } from './running-process.ts';
import {
  deadlineOf,
  type Effect,
  hasProcess,
  type LifecycleEvent,
  type Readiness,
  type State,
  type TransitionContext,
} from './state.ts';
import { type Telling, type Told, toldBy } from './telling.ts';
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

  /** How many HTTP requests it had been asked when it was above its limit of them; undefined while it is not. */
  get requestsAtLimit(): number | undefined {
    return this.child && this.#running?.requestsAtLimit;
  }

  /**
   * On request. What the last process of the slot did no longer counts, unless this one is to take its place: then it is
   * ready only when it listens as well.
   */
  start(expectsToListen = false): void {
    this.expectsToListen = expectsToListen;
    this.#dispatch({ type: 'start' });
  }

  /** As a restart that nobody asked for. */
  startAsSuccessor(predecessor: ManagedProcess, restart: { delay: number; failures: number }): void {
    this.expectsToListen = predecessor.expectsToListen;
    this.inherit(predecessor);
    this.#dispatch({ type: 'succeed', ...restart });
  }

  stop(): void {
    this.#dispatch({ type: 'stop' });
  }

  /** SIGKILL to it and all its descendants; that it is gone is told as ever. */
  kill(): void {
    this.#dispatch({ type: 'kill' });
  }

  /** Goes on where the daemon before this one was; `finder` launches nothing, it finds what runs. */
  adopt({ state, ...record }: ProcessRecord, finder: Launcher): void {
    if (state.kind === 'spawning') throw new TypeError('what is being spawned cannot be adopted');
    this.recall({ state, ...record });
    if (hasProcess(state)) this.#run(finder);
    this.#dispatch({ type: 'adopt', state });
  }

  /** The restart that was put off. */
  resume(): void {
    this.#dispatch({ type: 'resume' });
  }

  /** Another try after nsv has given up. */
  retry(): void {
    this.#dispatch({ type: 'retry' });
  }

  /** It is above a limit of its app. False when it is not to be replaced: nsv gives up on it, or it is leaving anyway. */
  exceed(cause: string): boolean {
    this.#dispatch({ type: 'exceeded', cause });
    return this.#state.kind === 'starting' || this.#state.kind === 'online';
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
      this.#group.changed();
    }
    this.#waiters.changed();
  }

  #context(): TransitionContext {
    const rules = this.#group.settingsOf(this);
    const { name, killTimeout, listenTimeout, retryAfter } = rules;
    const now = this.#host.clock.now();
    const limit = this.#group.restartLimitOf(this);
    return { name, killTimeout, listenTimeout, retryAfter, readiness: this.#readiness(), rules, now, ...limit };
  }

  #readiness(): Readiness {
    if (this.#group.settingsOf(this).waitReady) return 'message';
    return this.expectsToListen ? 'listening' : 'any';
  }

  #armDeadline(): void {
    this.#cancelDeadline?.();
    this.#cancelDeadline = undefined;
    const deadline = deadlineOf(this.#state);
    if (deadline === null) return;
    const { clock } = this.#host;
    const due = () => this.#dispatch({ type: 'deadline' });
    this.#cancelDeadline = clock.after(Math.max(0, deadline - clock.now()), due);
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
        this.#running?.tree.ask(this.#group.settingsOf(this).stopSignal);
        break;
      case 'kill':
        this.#reportCut();
        this.#running?.tree.kill();
        break;
      case 'clean':
        this.#running?.tree.clean();
        break;
      case 'look':
        if (this.#running?.tree.isGone()) this.#events.push({ type: 'treeGone' });
        break;
      case 'succeed':
        this.#group.startSuccessor(this, effect);
        break;
      case 'prepareRestart':
        this.#group.prepareRestart(this);
        break;
      case 'prepareRetry':
        this.#group.prepareRetry(this);
        break;
      case 'countAgainstLimit':
        this.#group.countAgainstLimit(effect.recent);
        break;
      case 'countRestart':
        this.countRestart();
        if (effect.delay !== null) this.#tell({ type: 'restart', delay: effect.delay });
        break;
      default:
        this.#report(effect);
    }
  }

  #report(effect: Telling): void {
    const { child, errors } = this.#running ?? {};
    if (effect.do === 'tellExited') {
      this.keepExit(effect.exit, effect.asked);
      if (child) this.#group.sockets.released(child);
    }
    const lastLines = () => errors?.lines().join('\n') ?? '';
    this.#tell(toldBy(effect, { pid: child?.pid ?? 0, spec: this.#group.spec, lastLines }));
  }

  #reportCut(): void {
    const line = this.#running?.line;
    if (!line || line.inFlight === 0) return;
    const requests = line.inFlight;
    line.inFlight = 0;
    this.countCut(requests);
    this.#tell({ type: 'cut short', requests });
  }

  #spawn(): void {
    this.spawnedAt = this.#host.clock.wall();
    try {
      const { pid } = this.#run(this.#host.launcher).child;
      this.spawnError = null;
      this.#events.push({ type: 'spawned', pid });
    } catch (error) {
      this.#running = undefined;
      this.spawnError = error;
      this.#events.push({ type: 'failed', detail: detailOf(error) });
    }
  }

  #run(launcher: Launcher): RunningProcess {
    const settings = () => this.#group.settingsOf(this);
    const running: RunningProcess = new RunningProcess(
      this.#group.plan(this),
      this.#group,
      settings,
      this.#host,
      launcher,
      {
        news: this.#news(),
        exited: (exit) => this.#exited(running, exit),
        isCurrent: () => running === this.#running,
      },
    );
    this.#running = running;
    return running;
  }

  #exited(running: RunningProcess, exit: Exit): void {
    if (running === this.#running) this.#dispatch({ type: 'exited', exit });
  }

  #news(): News {
    return {
      ready: () => this.#dispatch({ type: 'ready' }),
      answered: () => this.#dispatch({ type: 'answered' }),
      spent: (requests) => {
        if (!this.child || !this.#running) return;
        this.#running.requestsAtLimit = requests;
        this.#tell({ type: 'spent', pid: this.child.pid, requests });
      },
      leaving: (cause) => this.#dispatch({ type: 'leaving', cause }),
      listening: () => {
        this.expectsToListen = true;
        this.#dispatch({ type: 'listening' });
      },
    };
  }

  #tell(event: Told): void {
    this.#group.emit({ ...event, app: this.#group.spec.name, id: this.id, slot: this.slot } as DaemonEvent);
  }
}
