// One app at run time: its instances, their sockets, its restart limit. What commands do to it is in operations.ts.
import type { AppSpec } from '../../config/app-spec.ts';
import { failure } from '../../shared/errors.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';
import type { DaemonEvent } from '../events.ts';
import type { LaunchPlan } from '../launch/launcher.ts';
import type { Host } from '../process/host.ts';
import { ManagedProcess } from '../process/process.ts';
import type { ProcessContext } from '../process/process-context.ts';
import type { GroupRecord } from '../process/record.ts';
import { giveupReasonOf } from '../process/state.ts';
import type { GroupSockets } from '../sockets/group-sockets.ts';
import { CommandQueue } from './command-queue.ts';
import type { GroupDeps } from './group-deps.ts';
import { Intents } from './intents.ts';
import { LostSockets } from './lost-sockets.ts';

type Adjustable = Partial<Pick<AppSpec, 'killTimeout' | 'stopSignal' | 'autorestart'>>;

export class Group implements ProcessContext {
  readonly createdAt: number;
  readonly sockets: GroupSockets;
  readonly host: Host;
  /** Commands on this app, one after another. */
  readonly queue = new CommandQueue();
  /** What these commands are about to bring about. */
  readonly intents = new Intents(() => this.#deps.changed?.());
  readonly #deps: GroupDeps;
  #spec: AppSpec;
  #proposed: AppSpec | undefined;
  /** What applies to all that runs, whatever it was started with. */
  #adjusted: Adjustable | undefined;
  #processes: ManagedProcess[] = [];
  /** New processes of a reload until they have proven themselves, and old ones that finish their work: not restarted. */
  readonly #unlisted = new Set<ManagedProcess>();
  readonly #trials = new WeakSet<ManagedProcess>();
  readonly #lostSockets = new LostSockets(this);
  /** Times of the restarts that count against the limit. */
  #recent: readonly number[] = [];

  /** `past`: what the daemon before this one has known of it; what ran then is still to be adopted. */
  constructor(spec: AppSpec, deps: GroupDeps, past?: GroupRecord) {
    this.#spec = spec;
    this.#deps = deps;
    this.host = deps.host;
    this.createdAt = past?.createdAt ?? deps.host.clock.wall();
    this.sockets = deps.createSockets(spec);
    if (past) this.#recall(past);
    else this.resize(spec.instances);
  }

  get spec(): AppSpec {
    return this.#spec;
  }

  get name(): string {
    return this.#spec.name;
  }

  /** By slot. */
  get processes(): readonly ManagedProcess[] {
    return this.#processes;
  }

  /** The processes by slot, then what has left its slot or may take one. */
  get all(): ManagedProcess[] {
    return [...this.#processes, ...this.#unlisted];
  }

  /** Whether any process runs, or waits to be started again. */
  get isActive(): boolean {
    return this.all.some((process) => !isAtRest(process));
  }

  /** Changes settings for all processes to come. */
  renew(changes: Partial<AppSpec>): void {
    this.#spec = { ...this.#spec, ...changes };
    this.#proposed = undefined;
    this.#deps.changed?.();
  }

  /** Changes settings for trials only, until one is promoted: what is restarted meanwhile comes back as it was. */
  propose(changes: Partial<AppSpec>): void {
    this.#proposed = { ...this.#spec, ...changes };
  }

  /** What was proposed holds for all processes to come. */
  accept(): void {
    if (this.#proposed) this.renew(this.#proposed);
  }

  /** What applies from now on, also to what runs. */
  adjust(part: Adjustable): void {
    this.#spec = { ...this.#spec, ...part };
    this.#adjusted = { ...this.#adjusted, ...part };
  }

  /** Adds stopped processes in the next slots, or forgets those in the highest; these must be at rest. */
  resize(instances: number): ManagedProcess[] {
    const added: ManagedProcess[] = [];
    for (let slot = this.#processes.length; slot < instances; slot += 1) {
      added.push(new ManagedProcess(this.#deps.nextId(), slot, this, this.host));
    }
    this.#processes = [...this.#processes.slice(0, instances), ...added];
    this.#spec = { ...this.#spec, instances };
    this.#deps.changed?.();
    return added;
  }

  /** The process that holds a slot. */
  at(slot: number): ManagedProcess | undefined {
    return this.#processes[slot];
  }

  /** Everything that runs for these slots, what leaves them included. */
  allIn(slots: readonly number[]): ManagedProcess[] {
    return this.all.filter(({ slot }) => slots.includes(slot));
  }

  /** A second process for a slot, started by the caller, to be promoted or dropped. */
  createTrial(held: Pick<ManagedProcess, 'id' | 'slot'>): ManagedProcess {
    const trial = this.createExtra(held);
    this.#trials.add(trial);
    return trial;
  }

  /** A process that does not hold its slot. */
  createExtra({ id, slot }: Pick<ManagedProcess, 'id' | 'slot'>): ManagedProcess {
    const extra = new ManagedProcess(id, slot, this, this.host);
    this.#unlisted.add(extra);
    return extra;
  }

  /** The trial takes its slot; the one that held it is returned and no longer listed. */
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

  /** In the queue, so that no command is half-way. The sockets of `--listen` were closed when the last process was given up. */
  prepareRetry(process: ManagedProcess): void {
    const job = this.queue.run('retry', async (abort) => {
      if (process.state.kind !== 'errored' || this.isRetired) return;
      // Without its sockets the app fails by itself, and is judged for it.
      await this.#lostSockets.bind(process);
      if (!abort.aborted) process.retry();
    });
    job.catch(throwUncaught);
  }

  get isRetired(): boolean {
    return this.intents.isRemoval;
  }

  /** Throws SOCKETS_LOST where a new process would be without those of `--listen`. */
  expectSockets(): void {
    this.#lostSockets.reject();
  }

  prepareRestart(process: ManagedProcess): void {
    this.#lostSockets.prepare(process);
  }

  /** Resolves when the next daemon would know of everything up to now. */
  async kept(): Promise<void> {
    await this.#deps.settled?.();
  }

  /** Everything that the next daemon needs to go on. */
  record(): GroupRecord {
    const { createdAt } = this;
    const extras = [...this.#unlisted].map((extra) => extra.record(this.#trials.has(extra) ? 'trial' : 'leaver'));
    const processes = [...this.#processes.map((process) => process.record('holder')), ...extras];
    return { spec: this.#spec, createdAt, recent: [...this.#recent], intent: this.intents.sum, processes };
  }

  /** The restart limit starts anew: somebody looked after the app. */
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
    const sockets = spec.node ? [] : this.sockets.inherited();
    const mark = this.#deps.mark?.({ app: spec.name, id, slot, restarts, isTrial: this.#trials.has(process) });
    return { spec, id, slot, ...this.#deps.streams(spec, slot), sockets, ...(mark !== undefined && { mark }) };
  }

  restartLimitOf(process: ManagedProcess) {
    const holdsSlot = !this.#unlisted.has(process);
    return { recent: this.#recent, holdsSlot, leastDelay: this.#lostSockets.delay };
  }

  countAgainstLimit(recent: readonly number[]): void {
    this.#recent = recent;
  }

  startSuccessor(process: ManagedProcess, restart: { delay: number; failures: number }): void {
    const successor = new ManagedProcess(process.id, process.slot, this, this.host);
    this.#replace(successor);
    successor.startAsSuccessor(process, restart);
    const dropped = this.dropAtRest(process).then(() => successor.settleFor(process));
    dropped.catch(throwUncaught);
  }

  changed(): void {
    this.#deps.changed?.();
    // When nobody accepts any more, clients are to be refused and not to hang.
    if (!this.#isServed) this.sockets.close();
    this.#lostSockets.look();
  }

  emit(event: DaemonEvent): void {
    this.#deps.events.emit(event);
  }

  /** Whether any process accepts connections, or will; one that has been given up only finishes what it has. */
  get #isServed(): boolean {
    return this.all.some((process) => !isAtRest(process) && giveupReasonOf(process.state) === null);
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

  /** A new process of a reload is started with the settings that it is to prove. */
  #nextSpecOf(process: ManagedProcess): AppSpec {
    return (this.#unlisted.has(process) && this.#proposed) || this.#spec;
  }

  #replace(process: ManagedProcess): ManagedProcess {
    const held = this.#processes[process.slot];
    if (!held) throw failure('INTERNAL', { detail: `"${this.name}" has no slot ${process.slot}` });
    this.#processes = this.#processes.with(process.slot, process);
    this.#unlisted.add(held);
    return held;
  }
}

/** Nothing runs and nothing will, until somebody says so. */
export function isAtRest({ state }: ManagedProcess): boolean {
  return state.kind === 'stopped' || state.kind === 'errored';
}
