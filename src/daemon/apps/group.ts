// One app at run time: its instances, sockets and restart limit. operations.ts holds what commands do to it.
import { execPath } from 'node:process';
import type { AppSpec } from '../../config/app-spec.ts';
import type { EndReason } from '../../ipc/records/deaths.ts';
import { hasLostNode } from '../../os/programs.ts';
import type { DaemonEvent } from '../events.ts';
import { InApp } from '../in-app/in-app.ts';
import type { LaunchPlan } from '../launch/launcher.ts';
import { Problems } from '../problems.ts';
import type { Host } from '../process/host.ts';
import { isAtRest } from '../process/lifecycle/classes.ts';
import type { Restart } from '../process/lifecycle/restart-policy.ts';
import type { SocketsFor } from '../process/lifecycle/state.ts';
import type { ManagedProcess } from '../process/process.ts';
import type { ProcessContext } from '../process/process-context.ts';
import type { GroupRecord, PastApp } from '../process/record.ts';
import { Slot } from '../slot/slot.ts';
import type { GroupSockets } from '../sockets/group-sockets.ts';
import { sharedBy } from '../sockets/holding.ts';
import { CommandQueue } from './command-queue.ts';
import { Hold } from './depends-on/hold.ts';
import { Failures } from './failures.ts';
import type { GroupContext } from './group-context.ts';
import type { GroupDeps } from './group-deps.ts';
import { Intents } from './intents.ts';
import { noticeOf } from './notices.ts';
import { HeldSockets } from './sockets/held-sockets.ts';
import { InheritedSockets } from './sockets/inherited-sockets.ts';

type OverridableSettings = Partial<Pick<AppSpec, 'stopSignal' | 'autorestart'>>;

export class Group implements GroupContext {
  readonly createdAt: number;
  readonly sockets: GroupSockets;
  readonly host: Host;
  readonly probes: ProcessContext['probes'];
  /** Runs the commands on this app one after another. */
  readonly queue = new CommandQueue();
  /** What these commands are about to do. */
  readonly intents = new Intents(() => this.#deps.changed?.(this));
  /** Tells the client of the command that runs what it should know afterwards. */
  notice: ((text: string) => void) | undefined;
  /** The hook that a command has begun to run, and that has not ended. */
  hook: 'pre_start' | 'post_stop' | undefined;
  readonly #deps: GroupDeps;
  #spec: AppSpec;
  #proposed: AppSpec | undefined;
  isInterrupted = false;
  /** Settings that apply to every running process, whatever it was started with. */
  #adjusted: OverridableSettings | undefined;
  #slots: Slot[] = [];
  /** Those that a scale has taken away, as long as their processes finish their work. */
  readonly #surplus = new Set<Slot>();
  readonly failures: Failures;
  /** Those that all of its processes share. */
  readonly problems: Problems;
  readonly inApp: InApp;
  /** Its starts that wait for other apps. */
  readonly hold: Hold;
  readonly inheritedSockets = new InheritedSockets(this);
  readonly #heldSockets = new HeldSockets(this);
  /** Times of the restarts that count against the limit. */
  #recent: readonly number[] = [];

  /** `past`: the previous daemon's record of the app, whose processes are still to be adopted. */
  constructor(spec: AppSpec, deps: GroupDeps, past?: PastApp) {
    this.#spec = spec;
    this.#deps = deps;
    this.host = deps.host;
    this.probes = deps.probes;
    this.createdAt = past?.createdAt ?? deps.host.clock.wall();
    this.sockets = deps.createSockets(spec, this.#heldSockets);
    this.hold = new Hold(this, deps.dependencies);
    this.failures = new Failures(this, () => deps.changed?.(this), past?.survived);
    this.problems = new Problems(deps.host.clock, (event) => this.emit({ ...event, app: this.name }));
    this.inApp = new InApp(this, { ...deps, changed: () => deps.changed?.(this) }, past);
    if (past) this.#recall(past);
    else this.resize(spec.instances);
    deps.dependencies?.described(this);
  }

  get spec(): AppSpec {
    return this.#spec;
  }

  get name(): string {
    return this.#spec.name;
  }

  get slots(): readonly Slot[] {
    return this.#slots;
  }

  /** With those that a scale has taken away. */
  get allSlots(): Slot[] {
    return [...this.#slots, ...this.#surplus];
  }

  /** The processes that hold the slots, in their order. */
  get processes(): readonly ManagedProcess[] {
    return this.#slots.map(({ holder }) => holder);
  }

  /** The processes by slot, then those that have left their slot or may take one. */
  get all(): ManagedProcess[] {
    return [...this.processes, ...this.#extras];
  }

  get #extras(): ManagedProcess[] {
    return [...this.#slots.flatMap(({ extras }) => extras), ...[...this.#surplus].flatMap(({ all }) => all)];
  }

  /** Whether any process runs or waits for a restart. */
  get isActive(): boolean {
    return this.all.some((process) => !isAtRest(process));
  }

  /** Changes the settings of all future processes. */
  setSettings(changes: Partial<AppSpec>): void {
    const { name } = this;
    this.#spec = { ...this.#spec, ...changes };
    this.#proposed = undefined;
    if (this.name !== name) this.#deps.renamed?.(this, name);
    this.#deps.dependencies?.described(this);
    this.#deps.changed?.(this);
  }

  /** Changes settings for trials only, until one is promoted; a process that restarts meanwhile keeps the old ones. */
  stageSettings(changes: Partial<AppSpec>): void {
    this.#proposed = { ...this.#spec, ...changes };
  }

  /** Applies the proposed settings to all future processes. */
  commitSettings(): void {
    if (this.#proposed) this.setSettings(this.#proposed);
  }

  /** Changes settings from now on, for running processes too. */
  overrideSettings(part: OverridableSettings): void {
    this.#spec = { ...this.#spec, ...part };
    this.#adjusted = { ...this.#adjusted, ...part };
  }

  /** Adds empty slots, or takes the highest ones away: they are forgotten as soon as their processes are at rest. */
  resize(instances: number): void {
    for (const slot of this.#slots.slice(instances)) this.#surplus.add(slot);
    const kept = this.#slots.slice(0, instances);
    const added = Array.from({ length: instances - kept.length }, (_, index) => this.#createSlot(kept.length + index));
    this.#slots = [...kept, ...added];
    this.#spec = { ...this.#spec, instances };
    this.#forgetSurplus();
    this.#deps.changed?.(this);
  }

  /** The process that holds a slot. */
  at(slot: number): ManagedProcess | undefined {
    return this.#slots[slot]?.holder;
  }

  /** Continues with the processes of a slot that the previous daemon has left, which a scale may have taken away meanwhile. */
  adopt(index: number, ...left: Parameters<Slot['adopt']>): void {
    const slot = this.#slots[index] ?? this.#createSlot(index);
    if (!this.#slots[index]) this.#surplus.add(slot);
    slot.adopt(...left);
  }

  replace(process: ManagedProcess, reason: EndReason): Promise<void> {
    return this.#deps.replace(this, process, reason);
  }

  get missingApps(): readonly string[] | undefined {
    return this.hold.missing;
  }

  get socketsFor(): SocketsFor {
    return this.inheritedSockets.state;
  }

  bindFor(process: ManagedProcess, bound: (aborted: boolean) => void): void {
    this.inheritedSockets.bindFor(process, bound);
  }

  get isRetired(): boolean {
    return this.intents.isRemoval;
  }

  /** Resolves when the next daemon would know of everything so far. */
  async kept(): Promise<void> {
    await this.#deps.kept?.();
  }

  /** Everything the next daemon needs to continue. */
  record(): GroupRecord {
    const extras = this.#extras.map((extra) => extra.record(this.#isTrial(extra) ? 'trial' : 'leaver'));
    const processes = [...this.processes.map((process) => process.record('holder')), ...extras];
    const rest = { spec: this.#spec, createdAt: this.createdAt, recent: [...this.#recent], intent: this.intents.sum };
    const inApp = { ...this.inApp.record(), ...this.inApp.counted() };
    return { ...rest, ...this.failures.record(), ...inApp, processes };
  }

  /** Resets the restart limit, because a user has acted on the app. */
  resetRestartLimit(): void {
    this.#recent = [];
    this.#deps.changed?.(this);
  }

  settingsOf(process: ManagedProcess): AppSpec {
    const settings = process.child?.plan.spec ?? this.#nextSpecOf(process);
    return this.#adjusted ? { ...settings, ...this.#adjusted } : settings;
  }

  plan(process: ManagedProcess, isStart = false): LaunchPlan {
    const { id, slot, restarts } = process;
    const spec = isStart ? this.#withNode(this.#nextSpecOf(process)) : this.#nextSpecOf(process);
    const mark = isStart && this.#deps.mark?.({ id, slot, restarts, isTrial: this.#isTrial(process) }, spec);
    const given = { ...sharedBy(spec, this.sockets), ...(spec.node && this.inApp.given()), ...(mark && { mark }) };
    return { spec, id, slot, ...this.#deps.streams(spec, slot), ...given };
  }

  restartLimitOf(process: ManagedProcess) {
    const holdsSlot = this.at(process.slot) === process;
    const [isTrial, wait] = [this.#isTrial(process), this.host.restartRate.wait()];
    return { recent: this.#recent, holdsSlot, isTrial, wait };
  }

  countAgainstLimit(recent: readonly number[]): void {
    this.#recent = recent;
  }

  startSuccessor({ slot }: ManagedProcess, restart: Restart): void {
    this.#slots[slot]?.succeed(restart);
  }

  happened(process: ManagedProcess, hasChanged: boolean): void {
    if (hasChanged) this.changed();
    this.#slots[process.slot]?.look();
    for (const slot of this.#surplus) if (slot.index === process.slot) slot.look();
    this.#forgetSurplus();
  }

  changed(): void {
    this.#deps.changed?.(this);
    this.#deps.dependencies?.changed(this);
    this.#heldSockets.look();
    for (const process of this.processes) process.look();
  }

  /** Call it when another app may have become ready, or may be gone. */
  look(): void {
    this.hold.look();
    for (const process of this.processes) process.look();
  }

  emit(event: DaemonEvent): void {
    const notice = noticeOf(event);
    if (notice) this.notice?.(notice);
    this.#deps.events.emit(event);
  }

  /** Slots without a record are those that a command was about to add. */
  #recall({ recent, intent, processes }: PastApp): void {
    const holders = new Map(processes.filter(({ role }) => role === 'holder').map((holder) => [holder.slot, holder]));
    this.#recent = recent;
    this.intents.inherit(intent);
    this.#slots = Array.from({ length: this.#spec.instances }, (_, slot) =>
      this.#createSlot(slot, holders.get(slot)?.id),
    );
  }

  /** A trial of a reload starts with the proposed settings. */
  #nextSpecOf(process: ManagedProcess): AppSpec {
    return (this.#isTrial(process) && this.#proposed) || this.#spec;
  }

  /** A Node that was removed since the app was started is no reason to be down: the daemon has one. */
  #withNode(spec: AppSpec): AppSpec {
    const isLost = hasLostNode(spec);
    if (!spec.waitReady) this.problems.set('ready', null);
    this.problems.set('interpreter', isLost ? `${spec.interpreter} is gone, so it runs with ${execPath}` : null);
    return isLost ? { ...spec, interpreter: execPath } : spec;
  }

  #createSlot(index: number, id = this.#deps.nextId()): Slot {
    return new Slot(id, index, this);
  }

  #isTrial(process: ManagedProcess): boolean {
    return this.#slots[process.slot]?.trial === process;
  }

  #forgetSurplus(): void {
    for (const slot of this.#surplus) if (slot.isAtRest && this.#surplus.delete(slot)) this.#deps.changed?.(this);
  }
}
