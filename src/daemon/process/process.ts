// One instance: holds its state, arms its one timer, performs the effects. lifecycle.ts makes all decisions.
import type { AppSpec } from '../../config/app-spec.ts';
import type { EndReason } from '../../ipc/records/deaths.ts';
import type { Exit } from '../../ipc/views.ts';
import { detailOf, isFailure, type NsvError } from '../../shared/errors.ts';
import type { DaemonEvent } from '../events.ts';
import type { Child, Launcher, LaunchPlan } from '../launch/launcher.ts';
import { Deadline } from './deadline.ts';
import { deathOf } from './death/death.ts';
import { EventQueue } from './event-queue.ts';
import { SlotHistory } from './history.ts';
import type { Host } from './host.ts';
import { hasProcess } from './lifecycle/classes.ts';
import { next } from './lifecycle/lifecycle.ts';
import { deadlineOf, type Effect, type Left, type LifecycleEvent, type State } from './lifecycle/state.ts';
import { contextOf, isHeldBack, leaveToApp, type ProcessContext } from './process-context.ts';
import { type EmitEffect, eventOf, type ProcessEvent, restartIn } from './process-events.ts';
import type { LeftRecord, ProcessRecord, Role } from './record.ts';
import type { Remains } from './remaining.ts';
import { type ProcessOwner, RunningProcess } from './running-process.ts';
import { Waiters } from './waiters.ts';

export class ManagedProcess extends SlotHistory implements ProcessOwner {
  readonly id: number;
  readonly slot: number;
  /** Why the program could not be executed at the last attempt; null if it was. */
  spawnError: unknown = null;
  readonly #group: ProcessContext;
  readonly #host: Host;
  readonly #events = new EventQueue<LifecycleEvent>((event) => this.#step(event));
  readonly #waiters = new Waiters();
  #state: State = { kind: 'stopped' };
  #running: RunningProcess | undefined;
  /** Finds the process that the previous daemon has left. */
  #find = () => {};
  readonly #deadline: Deadline;
  /** False if the user of the app could not open its logs at the last attempt. */
  #hasLogs = true;

  constructor(id: number, slot: number, group: ProcessContext, host: Host) {
    super();
    this.id = id;
    this.slot = slot;
    this.#group = group;
    this.#host = host;
    this.#deadline = new Deadline(host.clock, () => this.dispatch({ type: 'deadline' }));
  }

  get state(): State {
    return this.#state;
  }

  /** The living child; undefined if none runs. */
  get child(): Child | undefined {
    return hasProcess(this.#state) ? this.#running?.child : undefined;
  }

  /** What clients still have of it, since it was asked to end; undefined while it serves. */
  get remains(): Remains | undefined {
    return this.#state.kind === 'stopping' ? this.#running?.line.remains : undefined;
  }

  /** Why it takes no work for now, although it runs; null if it can. */
  get unready(): string | null {
    return (this.child && this.#running?.unready.reason) ?? null;
  }

  /** What the ready probe has against the process; null if it has succeeded. */
  probed(reason: string | null): void {
    this.#running?.unready.set('ready probe', reason);
    if (reason === null) this.dispatch({ type: 'ready', probed: true });
  }

  /** The HTTP requests it had received when it exceeded its limit; undefined while it is below the limit. */
  get requestsAtLimit(): number | undefined {
    return this.child && this.#running?.line.requestsAtLimit;
  }

  /** Whether it exceeds a limit, and is to be replaced. */
  get isExcessive(): boolean {
    return 'excess' in this.#state;
  }

  /** Starts on request, whatever the last process of the slot did. `replaced`: what it is to replace if it proves good. */
  start(replaced?: ManagedProcess): void {
    this.begin(replaced);
    this.#hasLogs = true;
    this.dispatch({ type: 'start' });
  }

  /** Starts as a restart that nobody asked for. */
  startAsSuccessor(predecessor: ManagedProcess, restart: Parameters<ProcessContext['startSuccessor']>[1]): void {
    this.succeedTo(predecessor);
    this.dispatch({ type: 'succeed', ...restart });
  }

  /**
   * Asks it to end, for this reason, unless it has been asked before. `othersServe`: the process may keep idle connections
   * for as long as it has promised to its clients.
   */
  stop(reason: EndReason, othersServe = false): void {
    this.dispatch({ type: 'stop', reason, othersServe });
  }

  /** Sends SIGKILL to the whole tree. Its end is reported as usual: `stop` it first, so that its record has a reason. */
  kill(): void {
    this.dispatch({ type: 'kill' });
  }

  /** Continues with what the previous daemon has left. `finder` launches nothing: it finds the running process. */
  adopt({ was, ...record }: LeftRecord, fate: Left['fate'], finder: Launcher): void {
    this.recall(record);
    this.#find = () => this.#run(finder, this.#group.plan(this)).unready.set('ready probe', record.unready ?? null);
    this.dispatch({ type: 'adopt', left: { was, fate, isKnown: record.identity !== null } });
  }

  /** Whether its start is due, and something is missing. */
  get isWaiting(): boolean {
    return this.#state.kind === 'waiting';
  }

  /** Call it when something has changed for which a due start may wait. */
  look(): void {
    if (this.isWaiting) this.dispatch({ type: 'changed' });
  }

  /** The process exceeds a limit: it is replaced while it serves, unless it is leaving anyway. The first reason wins. */
  exceed(reason: EndReason): void {
    this.dispatch({ type: 'exceeded', reason });
  }

  /** The record for the next daemon. A process that does not write to files cannot be adopted. */
  record(role: Role): ProcessRecord {
    const { id, slot } = this;
    const state = this.#state;
    if (state.kind === 'spawning') throw new TypeError(`process ${id} is being spawned`);
    const running = (this.child && this.#running?.record()) ?? { identity: null };
    return { id, slot, role, state, ...this.historyRecord(), ...running };
  }

  /** Resolves with the first value that `look` finds, now or after a later event. */
  until<T>(look: (process: this) => T | undefined, abort?: AbortSignal): Promise<T> {
    return this.#waiters.until(() => look(this), abort);
  }

  /** Only for what happens to the process itself. */
  dispatch(event: LifecycleEvent): void {
    this.onEvent(event);
    const before = this.#state;
    if (!this.#events.add(event)) return;
    const hasChanged = this.#state !== before;
    if (this.#state.kind === 'online') this.spawnError = null;
    if (hasChanged) this.#deadline.arm(deadlineOf(this.#state));
    if (before.kind === 'backoff' && event.type !== 'deadline' && hasChanged) this.#host.restartRate.giveBack();
    // What is known of how it becomes ready is recorded, too.
    this.changed(hasChanged || event.type === 'listening');
  }

  #step(event: LifecycleEvent): void {
    const { state, effects } = next(this.#state, event, contextOf(this.#group, this, this.#host.clock.now()));
    this.#state = state;
    for (const effect of effects) this.#perform(effect);
  }

  changed(hasChanged = true): void {
    if (this.child) this.#group.sockets.accepting.holdBack(this.child, isHeldBack(this.#group, this));
    this.#group.happened(this, hasChanged);
    this.#waiters.changed();
  }

  #perform(effect: Effect): void {
    switch (effect.do) {
      case 'spawn':
        this.#spawn();
        break;
      case 'find':
        this.#find();
        break;
      case 'noteAskedEnd':
        this.endedAsAsked = true;
        break;
      case 'ask':
        if (this.#running?.line.askToStop(effect.othersServe)) break;
        this.#perform({ do: 'signal' });
        this.#events.add({ type: 'answered' });
        break;
      case 'stopKeepingIdle':
        this.#running?.line.stopKeepingIdle();
        break;
      case 'signal':
        this.#running?.signal();
        break;
      case 'kill':
        this.#reportCut();
        this.#running?.tree.kill();
        break;
      case 'askLeftovers':
        if (!this.#running?.askLeftovers(effect.age)) this.#events.add({ type: 'treeGone' });
        break;
      case 'look':
        if (this.#running?.tree.isGone()) this.#events.add({ type: 'treeGone' });
        break;
      case 'succeed':
      case 'bind':
      case 'replace':
      case 'leaveQueue':
      case 'livesOn':
      case 'noteReport':
      case 'countAgainstLimit':
        leaveToApp(this.#group, this, effect, (event) => this.dispatch(event));
        break;
      case 'emitExited':
        this.#ended(effect);
        break;
      case 'noteSilence':
        this.isSilent = true;
        break;
      case 'countRestart':
        this.restarts += 1;
        this.#host.restartRate.count();
        if (effect.delay !== null) this.emit(restartIn(effect.delay, effect.reason));
        break;
      default:
        this.#report(effect);
    }
  }

  #report(effect: EmitEffect): void {
    const { child, errors, output, line } = this.#running ?? {};
    if (effect.do === 'emitOnline' && child) this.#host.oomKills.watch(child);
    const lastLines = () => (this.#hasLogs ? (errors?.lines().join('\n') ?? '') : detailOf(this.spawnError));
    const logsAt = () => ({ out: output?.begin, err: errors?.begin });
    this.emit(eventOf(effect, { spec: this.#group.spec, stopSignal: line?.stopSignal, logsAt, lastLines }));
  }

  #ended({ exit, asked, why }: Extract<Effect, { do: 'emitExited' }>): void {
    const [running, state, standing] = [this.#running, this.#state, this.#group.restartLimitOf(this)];
    const death = running && this.#hasLogs ? deathOf(running, { exit, why, state, standing }, this.#host) : undefined;
    this.keepExit(exit, asked, death);
    if (running) this.#group.sockets.released(running.child);
    this.emit({ type: 'exit', pid: running?.child.pid ?? 0, exit, asked, death });
  }

  #reportCut(): void {
    const requests = this.#running?.cut() ?? 0;
    if (requests === 0) return;
    this.countCut(requests);
    this.emit({ type: 'requests-cut', requests });
  }

  #spawn(): void {
    this.beginNext(this.#host.clock.wall());
    try {
      const { pid } = this.#run(this.#host.launcher, this.#group.plan(this, true)).child;
      // Whether another user's logs can be opened this time turns out later.
      if (this.#hasLogs) this.spawnError = null;
      this.#events.add({ type: 'spawned', pid });
    } catch (error) {
      this.#running = undefined;
      this.spawnError = error;
      this.#events.add({ type: 'failed', detail: detailOf(error), isOurs: isFailure(error, 'PACKAGE_GONE') });
    }
  }

  #run(launcher: Launcher, plan: LaunchPlan): RunningProcess {
    const running = new RunningProcess(plan, this, this.#group, this.#host, launcher);
    this.#running = running;
    this.#group.probes?.began(this.#group, this, running.child);
    return running;
  }

  get settings(): AppSpec {
    return this.#group.settingsOf(this);
  }

  readinessChanged(unready: string | null): void {
    // One that starts is not ready anyway.
    if (this.#state.kind !== 'online') return;
    const { pid } = this.#state;
    this.emit(unready === null ? { type: 'ready-again', pid } : { type: 'not-ready', pid, reason: unready });
    this.changed();
  }

  isCurrent(running: RunningProcess): boolean {
    return running === this.#running;
  }

  exited(running: RunningProcess, exit: Exit, problem?: NsvError): void {
    if (running !== this.#running) return;
    if (problem) this.spawnError = problem;
    this.#hasLogs = problem === undefined;
    const account = this.#hasLogs && this.#state.kind !== 'stopping' && running.accountOf(exit, this.isFirst);
    this.dispatch({ type: 'exited', exit, ...account });
  }

  emit(event: ProcessEvent): void {
    this.#group.emit({ ...event, app: this.#group.spec.name, id: this.id, slot: this.slot } as DaemonEvent);
  }
}
