// One app at run time: its instances, sockets and restart limit. operations.ts holds what commands do to it.
import type { AppSpec } from '../../config/app-spec.ts';
import { failure } from '../../shared/errors.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';
import type { DaemonEvent } from '../events.ts';
import { InApp } from '../in-app/in-app.ts';
import type { LaunchPlan } from '../launch/launcher.ts';
import type { Host } from '../process/host.ts';
import { ManagedProcess } from '../process/process.ts';
import type { ProcessContext } from '../process/process-context.ts';
import type { GroupRecord } from '../process/record.ts';
import { isAtRest } from '../process/state.ts';
import type { GroupSockets } from '../sockets/group-sockets.ts';
import { sharedBy } from '../sockets/holding.ts';
import { CommandQueue } from './command-queue.ts';
import { Hold } from './depends-on/hold.ts';
import { Failures } from './failures.ts';
import type { GroupDeps } from './group-deps.ts';
import type { HookName } from './hooks.ts';
import { Intents } from './intents.ts';
import { remarkOn } from './remarks.ts';
import { LostSockets } from './sockets/lost-sockets.ts';
import { Moves } from './sockets/moves.ts';
import { UnusedSockets } from './sockets/unused-sockets.ts';

type Adjustable = Partial<Pick<AppSpec, 'killTimeout' | 'stopSignal' | 'autorestart'>>;

export class Group implements ProcessContext {
  readonly createdAt: number;
  readonly sockets: GroupSockets;
  readonly host: Host;
  readonly probes: ProcessContext['probes'];
  /** Runs the commands on this app one after another. */
  readonly queue = new CommandQueue();
  /** What these commands are about to do. */
  readonly intents = new Intents(() => this.#deps.changed?.());
  /** Tells the client of the command that runs what it should know afterwards. */
  remark: ((text: string) => void) | undefined;
  /** The hook that a command has begun to run, and that has not ended. */
  hook: HookName | undefined;
  readonly #deps: GroupDeps;
  #spec: AppSpec;
  #proposed: AppSpec | undefined;
  isInterrupted = false;
  /** Settings that apply to every running process, whatever it was started with. */
  #adjusted: Adjustable | undefined;
  #processes: ManagedProcess[] = [];
  /** New processes of a reload that are still on trial, and old ones that finish their work: they are not restarted. */
  readonly #unlisted = new Set<ManagedProcess>();
  readonly #trials = new WeakSet<ManagedProcess>();
  readonly failures: Failures;
  readonly inApp: InApp;
  /** Its starts that wait for other apps. */
  readonly hold: Hold;
  readonly #lostSockets = new LostSockets(this);
  readonly moves = new Moves(this);
  readonly #unusedSockets = new UnusedSockets(this);
  /** Times of the restarts that count against the limit. */
  #recent: readonly number[] = [];

  /** `past`: the previous daemon's record of the app, whose processes are still to be adopted. */
  constructor(spec: AppSpec, deps: GroupDeps, past?: GroupRecord) {
    this.#spec = spec;
    this.#deps = deps;
    this.host = deps.host;
    this.probes = deps.probes;
    this.createdAt = past?.createdAt ?? deps.host.clock.wall();
    this.sockets = deps.createSockets(spec, () => this.#spec);
    this.hold = new Hold(this, deps.dependencies);
    this.failures = new Failures(this, () => deps.changed?.(), past?.survived);
    this.inApp = new InApp(this, deps, past);
    if (past) this.#recall(past);
    else this.resize(spec.instances);
  }

  get spec(): AppSpec {
    return this.#spec;
  }

  get name(): string {
    return this.#spec.name;
  }

  /** Ordered by slot. */
  get processes(): readonly ManagedProcess[] {
    return this.#processes;
  }

  /** The processes by slot, then those that have left their slot or may take one. */
  get all(): ManagedProcess[] {
    return [...this.#processes, ...this.#unlisted];
  }

  /** Whether any process runs or waits for a restart. */
  get isActive(): boolean {
    return this.all.some((process) => !isAtRest(process));
  }

  /** Changes the settings of all future processes. */
  renew(changes: Partial<AppSpec>): void {
    this.#spec = { ...this.#spec, ...changes };
    this.#proposed = undefined;
    this.#deps.changed?.();
  }

  /** Changes settings for trials only, until one is promoted; a process that restarts meanwhile keeps the old ones. */
  propose(changes: Partial<AppSpec>): void {
    this.#proposed = { ...this.#spec, ...changes };
  }

  /** Applies the proposed settings to all future processes. */
  accept(): void {
    if (this.#proposed) this.renew(this.#proposed);
  }

  /** Changes settings from now on, for running processes too. */
  adjust(part: Adjustable): void {
    this.#spec = { ...this.#spec, ...part };
    this.#adjusted = { ...this.#adjusted, ...part };
  }

  /** Adds stopped processes in the next slots, or forgets those in the highest slots, as soon as they are at rest. */
  resize(instances: number): ManagedProcess[] {
    const added: ManagedProcess[] = [];
    for (let slot = this.#processes.length; slot < instances; slot += 1) {
      added.push(new ManagedProcess(this.#deps.nextId(), slot, this, this.host));
    }
    for (const surplus of this.#processes.slice(instances)) this.#leave(surplus);
    this.#processes = [...this.#processes.slice(0, instances), ...added];
    this.#spec = { ...this.#spec, instances };
    this.#deps.changed?.();
    return added;
  }

  /** The process that holds a slot. */
  at(slot: number): ManagedProcess | undefined {
    return this.#processes[slot];
  }

  /** All processes of these slots, including those that are leaving them. */
  allIn(slots: readonly number[]): ManagedProcess[] {
    return this.all.filter(({ slot }) => slots.includes(slot));
  }

  /** Creates a second process for a slot, which the caller starts and then promotes or drops. */
  createTrial(held: Pick<ManagedProcess, 'id' | 'slot'>): ManagedProcess {
    const trial = this.createExtra(held);
    this.#trials.add(trial);
    return trial;
  }

  /** Creates a process that does not hold its slot. */
  createExtra({ id, slot }: Pick<ManagedProcess, 'id' | 'slot'>): ManagedProcess {
    const extra = new ManagedProcess(id, slot, this, this.host);
    this.#unlisted.add(extra);
    return extra;
  }

  /** Gives the trial its slot; returns the process that held it, which is no longer listed. */
  promote(trial: ManagedProcess): ManagedProcess {
    this.#unlisted.delete(trial);
    this.#trials.delete(trial);
    this.accept();
    return this.#replace(trial);
  }

  /** Forgets a process that is at rest and holds no slot. */
  drop(process: ManagedProcess): void {
    this.#unlisted.delete(process);
    this.#deps.changed?.();
  }

  /** Forgets a process that holds no slot as soon as it is at rest. */
  async dropAtRest(process: ManagedProcess): Promise<void> {
    await process.until((old) => isAtRest(old) || undefined);
    this.drop(process);
  }

  /** Does the same with a process whose slot another one has, which then learns how it ended. */
  dropFor(process: ManagedProcess, successor: ManagedProcess): void {
    const dropped = this.dropAtRest(process).then(() => successor.settleFor(process));
    dropped.catch(throwUncaught);
  }

  prepareRetry(process: ManagedProcess): void {
    this.hold.pass(process, () => this.#lostSockets.retry(process));
  }

  get isRetired(): boolean {
    return this.intents.isRemoval;
  }

  /** Throws SOCKETS_LOST if a new process would lack the sockets of `--listen`. */
  async expectSockets(abort: AbortSignal): Promise<void> {
    await this.sockets.keeper?.returned(abort);
    abort.throwIfAborted();
    this.#lostSockets.reject();
  }

  prepareRestart(process: ManagedProcess): void {
    this.hold.pass(process, () => this.#lostSockets.prepare(process));
  }

  /** Resolves when everything so far is recorded for the next daemon. */
  async kept(): Promise<void> {
    await this.#deps.settled?.();
  }

  /** Everything the next daemon needs to continue. */
  record(): GroupRecord {
    const extras = [...this.#unlisted].map((extra) => extra.record(this.#trials.has(extra) ? 'trial' : 'leaver'));
    const processes = [...this.#processes.map((process) => process.record('holder')), ...extras];
    const keeper = this.sockets.keeper?.record;
    const rest = { spec: this.#spec, createdAt: this.createdAt, recent: [...this.#recent], intent: this.intents.sum };
    const inApp = { ...this.inApp.record(), ...this.inApp.counted() };
    return { ...rest, ...this.failures.record(), ...inApp, processes, ...(keeper && { keeper }) };
  }

  /** Resets the restart limit, because a user has acted on the app. */
  forgive(): void {
    this.#recent = [];
    this.#deps.changed?.();
  }

  settingsOf(process: ManagedProcess): AppSpec {
    const settings = process.child?.plan.spec ?? this.#nextSpecOf(process);
    return this.#adjusted ? { ...settings, ...this.#adjusted } : settings;
  }

  plan(process: ManagedProcess): LaunchPlan {
    const { id, slot, restarts } = process;
    const spec = this.#nextSpecOf(process);
    const marked = this.#deps.mark?.({ id, slot, restarts, isTrial: this.#trials.has(process) }, spec);
    const given = { ...sharedBy(spec, this.sockets), ...(spec.node && this.inApp.given()), ...marked };
    return { spec, id, slot, ...this.#deps.streams(spec, slot), ...given };
  }

  restartLimitOf(process: ManagedProcess) {
    const holdsSlot = !this.#unlisted.has(process);
    const isTrial = this.#trials.has(process);
    return { recent: this.#recent, holdsSlot, isTrial, leastDelay: Math.max(this.#lostSockets.delay, this.hold.delay) };
  }

  countAgainstLimit(recent: readonly number[]): void {
    this.#recent = recent;
  }

  startSuccessor(process: ManagedProcess, restart: { delay: number; failures: number }): void {
    const successor = new ManagedProcess(process.id, process.slot, this, this.host);
    this.#replace(successor);
    successor.startAsSuccessor(process, restart);
    this.dropFor(process, successor);
  }

  changed(): void {
    this.#deps.changed?.();
    this.#deps.dependencies?.changed(this);
    this.sockets.keeper?.tell(this.all.flatMap(({ child }) => child ?? []));
    this.moves.look();
    this.#unusedSockets.look();
    this.#lostSockets.look();
  }

  emit(event: DaemonEvent): void {
    const remark = remarkOn(event);
    if (remark) this.remark?.(remark);
    this.#deps.events.emit(event);
  }

  /** Slots without a record are those that a command was about to add. */
  #recall({ recent, intent, processes }: GroupRecord): void {
    const holders = new Map(processes.filter(({ role }) => role === 'holder').map((holder) => [holder.slot, holder]));
    this.#recent = recent;
    this.intents.inherit(intent);
    this.#processes = Array.from({ length: this.#spec.instances }, (_, slot) => {
      const id = holders.get(slot)?.id ?? this.#deps.nextId();
      return new ManagedProcess(id, slot, this, this.host);
    });
  }

  /** A trial of a reload starts with the proposed settings. */
  #nextSpecOf(process: ManagedProcess): AppSpec {
    return (this.#unlisted.has(process) && this.#proposed) || this.#spec;
  }

  #leave(process: ManagedProcess): void {
    if (isAtRest(process)) return;
    this.#unlisted.add(process);
    this.dropAtRest(process).catch(throwUncaught);
  }

  #replace(process: ManagedProcess): ManagedProcess {
    const held = this.#processes[process.slot];
    if (!held) throw failure('INTERNAL', { detail: `"${this.name}" has no slot ${process.slot}` });
    this.#processes = this.#processes.with(process.slot, process);
    this.#unlisted.add(held);
    return held;
  }
}
