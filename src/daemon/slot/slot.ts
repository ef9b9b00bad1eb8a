// One slot of an app: its processes, its state and its one timer. table.ts makes all decisions; here they are performed.
import type { Report } from '../../ipc/protocol.ts';
import type { EndReason } from '../../ipc/records/deaths.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';
import type { Launcher } from '../launch/launcher.ts';
import { Deadline } from '../process/deadline.ts';
import type { LastDeath } from '../process/death/death.ts';
import { EventQueue } from '../process/event-queue.ts';
import { isAtRest } from '../process/lifecycle/classes.ts';
import type { Restart } from '../process/lifecycle/restart-policy.ts';
import { ManagedProcess } from '../process/process.ts';
import type { LeftRecord } from '../process/record.ts';
import type { SlotCandidate } from './assignment.ts';
import { factsOf } from './facts.ts';
import type { SlotContext } from './slot-context.ts';
import type { StartOutcome } from './start-outcome.ts';
import { watchStart } from './start-watch.ts';
import {
  type Replacement,
  type SlotEffect,
  type SlotEnding,
  type SlotEvent,
  type SlotOutcome,
  type SlotState,
  slotDeadlineOf,
} from './state.ts';
import { nextOfSlot } from './table.ts';

/** What a command on a slot hears, and how it is given up. */
export interface SlotCommand {
  report: Report;
  abort?: AbortSignal;
}

/** With the last death of the new process, if it was not good. */
export type Settled = SlotOutcome & { death: LastDeath | null };

export class Slot {
  readonly index: number;
  #holder: ManagedProcess;
  #trial: ManagedProcess | undefined;
  /** How the start of the new process has gone so far. */
  #start: () => StartOutcome | undefined = () => undefined;
  #death: LastDeath | null = null;
  /** The process that was replaced last. */
  #old: ManagedProcess | undefined;
  /** Those that finish their work, and whether each has held the slot: then the holder takes over how it ended. */
  readonly #leavers = new Map<ManagedProcess, { hasHeld: boolean }>();
  readonly #app: SlotContext;
  readonly #events = new EventQueue<SlotEvent>((event) => this.#step(event));
  readonly #deadline: Deadline;
  #state: SlotState = { kind: 'held' };
  #finderOf: (record: LeftRecord) => Launcher = () => {
    throw new TypeError('nothing is adopted');
  };
  #command: (SlotCommand & { settle(settled: Settled): void }) | undefined;

  constructor(id: number, index: number, app: SlotContext) {
    this.index = index;
    this.#app = app;
    this.#holder = new ManagedProcess(id, index, app, app.host);
    this.#deadline = new Deadline(app.host.clock, () => this.#dispatch({ type: 'deadline' }));
  }

  /** The process that holds the slot. */
  get holder(): ManagedProcess {
    return this.#holder;
  }

  /** The new process of a replacement, as long as it has not proved good. */
  get trial(): ManagedProcess | undefined {
    return this.#trial;
  }

  /** All processes of the slot, the holder first. */
  get all(): ManagedProcess[] {
    return [this.#holder, ...this.extras];
  }

  /** Those that do not hold the slot: the one on trial, and those that finish their work. */
  get extras(): ManagedProcess[] {
    return [...(this.#trial ? [this.#trial] : []), ...this.#leavers.keys()];
  }

  /** Whether nothing of the slot runs, and nothing is to run. */
  get isAtRest(): boolean {
    return this.all.every(isAtRest);
  }

  /** Replaces the holder by a process that is started beside it. A slot takes one command at a time. */
  replace(replacement: Replacement, command: SlotCommand): Promise<Settled> {
    return this.#run({ type: 'replace', replacement }, command);
  }

  /** Ends every process of the slot. */
  end(ending: SlotEnding): Promise<Settled> {
    return this.#run({ type: 'end', ...ending }, { report: () => {} });
  }

  /** The holder finishes its work and leaves: another process takes its place. */
  succeed(restart: Restart): void {
    this.#dispatch({ type: 'leaving', ...restart });
  }

  /** Continues with the processes that the previous daemon has left, which `finderOf` finds. */
  adopt(candidates: readonly SlotCandidate[], wasToEnd: boolean, finderOf: (record: LeftRecord) => Launcher): void {
    this.#finderOf = finderOf;
    this.#dispatch({ type: 'adopt', candidates, wasToEnd });
  }

  /** Call it when something about the processes of the slot has changed. */
  look(): void {
    for (const leaver of this.#leavers.keys()) if (isAtRest(leaver)) this.#forget(leaver);
    if (this.#state.kind !== 'held') this.#dispatch({ type: 'changed' });
  }

  #run(event: SlotEvent, command: SlotCommand): Promise<Settled> {
    const { abort } = command;
    const interrupt = () => this.#dispatch({ type: 'interrupted' });
    abort?.addEventListener('abort', interrupt);
    const settled = new Promise<Settled>((settle) => {
      this.#command = { ...command, settle };
      this.#dispatch(event);
    });
    return settled.finally(() => abort?.removeEventListener('abort', interrupt));
  }

  #dispatch(event: SlotEvent): void {
    this.#events.add(event);
  }

  #step(event: SlotEvent): void {
    const before = this.#state;
    const { index, holder, trial, all } = this;
    const facts = factsOf({ index, holder, trial, all, old: this.#old, start: this.#start }, this.#app);
    const { state, effects } = nextOfSlot(before, event, facts);
    this.#state = state;
    if (state !== before) this.#deadline.arm(slotDeadlineOf(state));
    for (const effect of effects) this.#perform(effect);
    // What the next state waits for may have happened before.
    if (state.kind !== before.kind) this.#events.add({ type: 'changed' });
  }

  #perform(effect: SlotEffect): void {
    switch (effect.do) {
      case 'startTrial':
        this.#trial = this.#create(this.#holder.id);
        this.#start = watchStart(this.#app, this.#trial);
        this.#trial.start(this.#holder);
        break;
      case 'promote':
        this.#promote(effect.reason);
        break;
      case 'record':
        this.#app
          .kept()
          .then(() => this.#dispatch({ type: 'recorded' }))
          .catch(throwUncaught);
        break;
      case 'endOld':
        this.#old?.stop(effect.reason, true);
        break;
      case 'endTrial':
        this.#trial?.stop(effect.reason);
        break;
      case 'dropTrial':
        this.#death = this.#trial?.lastDeath ?? null;
        this.#trial = undefined;
        this.#app.changed();
        break;
      case 'endAll':
        for (const process of this.all) process.stop(effect.reason, effect.othersServe);
        break;
      case 'adopt':
        this.#holder.adopt(effect.record, effect.fate, this.#finderOf(effect.record));
        break;
      case 'adoptLeaver':
        this.#adoptLeaver(effect.record, effect.reason);
        break;
      case 'succeed': {
        const predecessor = this.#give(this.#create(this.#holder.id));
        this.#holder.startAsSuccessor(predecessor, effect);
        break;
      }
      case 'report':
        this.#command?.report(effect.text);
        break;
      case 'settle':
        this.#settle(effect.outcome);
    }
  }

  #settle(outcome: SlotOutcome): void {
    this.#command?.settle({ ...outcome, death: this.#death });
    this.#command = undefined;
    this.#start = () => undefined;
    this.#old = undefined;
    this.#death = null;
  }

  #promote(reason: EndReason): void {
    if (!this.#trial) return;
    this.#old = this.#give(this.#trial);
    this.#trial = undefined;
    this.#holder.inherit(this.#old);
    this.#holder.countReplacement(reason);
    this.#app.commitSettings();
  }

  #adoptLeaver(record: LeftRecord, reason: EndReason): void {
    const leaver = this.#create(record.id);
    this.#leavers.set(leaver, { hasHeld: false });
    leaver.adopt(record, 'running', this.#finderOf(record));
    leaver.stop(reason, true);
  }

  /** Gives the slot to another process; returns the one that held it. */
  #give(process: ManagedProcess): ManagedProcess {
    const held = this.#holder;
    this.#leavers.set(held, { hasHeld: true });
    this.#holder = process;
    return held;
  }

  #forget(leaver: ManagedProcess): void {
    if (this.#leavers.get(leaver)?.hasHeld) this.#holder.settleFor(leaver);
    this.#leavers.delete(leaver);
    this.#app.changed();
  }

  #create(id: number): ManagedProcess {
    return new ManagedProcess(id, this.index, this.#app, this.#app.host);
  }
}
