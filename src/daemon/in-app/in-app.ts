// What the processes of one app say to the daemon and to each other through `nsv/app` and `nsv/queue`.
import { hostname } from 'node:os';
import type { AppSpec } from '../../config/app-spec.ts';
import { countsOf, parseMetrics } from '../../ipc/app/metrics.ts';
import { parseRuntimeValues } from '../../ipc/app/runtime-settings.ts';
import type { MetricSnapshot, RuntimeChange, RuntimeValues } from '../../ipc/app/views.ts';
import { type InAppUp, type InstanceView, marker } from '../../ipc/worker-messages.ts';
import { detailOf, failure } from '../../shared/errors.ts';
import type { Child, LaunchPlan } from '../launch/launcher.ts';
import type { Streams } from '../output/streams.ts';
import type { Problems } from '../problems.ts';
import type { Host } from '../process/host.ts';
import { isStopping } from '../process/lifecycle/classes.ts';
import type { ManagedProcess } from '../process/process.ts';
import type { ProcessContext } from '../process/process-context.ts';
import type { GroupRecord } from '../process/record.ts';
import type { ProcessInApp } from '../process/worker-line.ts';
import { Broadcasts } from './broadcasts.ts';
import type { Queues } from './queues.ts';
import { RuntimeSettings } from './runtime-settings.ts';
import { SettingsFile } from './settings-file.ts';

/** Processes that have ended, as the instances of the app are told of. */
const mostEnded = 20;

export interface InAppOwner extends Pick<ProcessContext, 'spec' | 'emit'> {
  readonly all: readonly ManagedProcess[];
  readonly host: Pick<Host, 'clock'>;
  readonly problems: Problems;
}

export interface InAppDeps {
  streams(spec: AppSpec, slot: number): Pick<Streams, 'isUserFile'>;
  /** Called after each change that the next daemon must know about. */
  changed?(): void;
  /** Resolves when the next daemon would know of all changes so far. */
  kept?(): Promise<void>;
  /** Those of all apps. */
  queues?: Queues;
}

const withMetrics = new WeakSet<Child>();

export class InApp implements ProcessInApp {
  readonly settings: RuntimeSettings;
  readonly counts: Counts;
  readonly #owner: InAppOwner;
  readonly #file: SettingsFile;
  readonly #broadcasts: Broadcasts;
  readonly #queues: Queues | undefined;
  /** The last ones, in the order of their ends. */
  readonly #ended: InstanceView[] = [];

  constructor(owner: InAppOwner, deps: InAppDeps, past?: Pick<GroupRecord, 'runtimeSettings' | 'counted'>) {
    const { clock } = owner.host;
    const { name } = owner.spec;
    this.#owner = owner;
    this.#queues = deps.queues;
    this.counts = new Counts(past?.counted);
    this.settings = new RuntimeSettings(
      {
        name,
        clock,
        children: () => this.#running().map(({ child, state }) => ({ child, votes: !isStopping({ state }) })),
        changed: () => deps.changed?.(),
        kept: async () => deps.kept?.(),
        emit: (event) => owner.emit(event),
      },
      past?.runtimeSettings,
    );
    this.#broadcasts = new Broadcasts(() => this.#running().map(({ child }) => child), clock);
    this.#file = new SettingsFile({
      clock,
      isUserFile: (file) => deps.streams(owner.spec, 0).isUserFile?.(file) ?? false,
      apply: (values, file) => this.settings.change((held) => (held.file === file ? { values, file } : held)),
      report: (problem, file) => owner.problems.set('settings', problem, file),
    });
  }

  /** For the next daemon, and for an app that takes the place of this one. */
  record(): Pick<GroupRecord, 'runtimeSettings'> {
    const { record } = this.settings;
    return record ? { runtimeSettings: record } : {};
  }

  /** For the next daemon. */
  counted(): Pick<GroupRecord, 'counted'> {
    const { past } = this.counts;
    return past.length > 0 ? { counted: past } : {};
  }

  /** For a new process. */
  given(): Pick<LaunchPlan, 'runtimeSettings'> {
    const { version, values } = this.settings.held;
    return version > 0 ? { runtimeSettings: { version, values: JSON.stringify(values) } } : {};
  }

  /** Rejects with SETTINGS_FROM_FILE, BAD_SETTINGS, CANNOT_USE_SETTINGS or SETTINGS_REJECTED. */
  async change({ set = {}, unset = [], file }: RuntimeChange): Promise<void> {
    const { name } = this.#owner.spec;
    if (typeof file === 'string') return this.#changeTo(file);
    await this.settings.change(({ values, file: from }) => {
      if (from !== undefined && file !== null) throw failure('SETTINGS_FROM_FILE', { name, file: from });
      const others = Object.entries(values).filter(([key]) => !unset.includes(key));
      return { values: checked({ ...Object.fromEntries(others), ...set }) };
    });
    if (file === null) this.#file.follow(undefined);
  }

  /** Watches the settings file, if there is one. */
  begin(): void {
    this.#file.resume(this.settings.held.file);
  }

  close(): void {
    this.#file.close();
  }

  hasMetrics(child: Child): boolean {
    return withMetrics.has(child);
  }

  /** The names of the queues that it has opened. */
  queuesOf(child: Child): string[] {
    return this.#queues?.namesOf(child) ?? [];
  }

  onMessage(child: Child, message: InAppUp): void {
    switch (message.type) {
      case 'settings-held':
      case 'settings-vote':
        this.settings.onMessage(child, message);
        break;
      case 'capabilities':
        this.#broadcasts.takesPart(child, message.messages);
        this.settings.checks(child, message.checks);
        if (message.metrics) withMetrics.add(child);
        break;
      case 'broadcast':
        this.#broadcasts.pass(child, message.text);
        break;
      case 'broadcasts-received':
        this.#broadcasts.received(child, message.count);
        break;
      case 'counters':
        this.counts.onMessage(child, message.text);
        break;
      case 'queue':
        this.#queues?.onMessage(child, message);
        break;
      case 'ask-instances':
        child.send({ cmd: marker, type: 'instances', seq: message.seq, instances: this.instances() });
    }
  }

  returned(child: Child): void {
    this.settings.returned(child);
  }

  gone(child: Child): void {
    this.settings.gone(child);
    this.counts.gone(child);
    this.#queues?.gone(child);
    const process = this.#running().find((running) => running.child === child);
    if (!process) return;
    this.#ended.push({ ...viewOf(process, child, this.#owner.host.clock.wall()), alive: false });
    if (this.#ended.length > mostEnded) this.#ended.shift();
  }

  /** Those that run, then those that have ended, the last one first. */
  instances(): InstanceView[] {
    const now = this.#owner.host.clock.wall();
    return [...this.#running().map((process) => viewOf(process, process.child, now)), ...this.#ended.toReversed()];
  }

  async #changeTo(file: string): Promise<void> {
    const values = await this.#file.read(file).catch((cause) => {
      throw failure('CANNOT_USE_SETTINGS', { file, detail: detailOf(cause) }, { cause });
    });
    await this.settings.change(() => ({ values, file }));
    this.#file.resume(file);
  }

  #running() {
    return this.#owner.all.flatMap(({ child, state, id, slot, spawnedAt }) =>
      child ? [{ child, state, id, slot, spawnedAt }] : [],
    );
  }
}

/** Throws BAD_SETTINGS. */
function checked(values: unknown): RuntimeValues {
  try {
    return parseRuntimeValues(values);
  } catch (cause) {
    throw failure('BAD_SETTINGS', { problem: detailOf(cause) }, { cause });
  }
}

function viewOf(
  { id, slot, spawnedAt }: Pick<ManagedProcess, 'id' | 'slot' | 'spawnedAt'>,
  { pid }: Child,
  now: number,
): InstanceView {
  return { slot, id, pid, host: hostname(), alive: true, since: spawnedAt ?? now, lastSeen: now };
}

/** What processes that have ended had counted. Without it, a counter of the app would fall whenever a process is replaced. */
export class Counts {
  /** The last words of processes that have not ended yet: while they live, they are asked themselves. */
  readonly #announced = new Map<Child, string>();
  #past: MetricSnapshot[];

  constructor(past: MetricSnapshot[] = []) {
    this.#past = past;
  }

  get past(): MetricSnapshot[] {
    return this.#past;
  }

  onMessage(child: Child, text: string): void {
    this.#announced.set(child, text);
  }

  gone(child: Child): void {
    const text = this.#announced.get(child);
    this.#announced.delete(child);
    if (text !== undefined) this.#past = countsOf([...this.#past, ...parseCounts(text)]);
  }
}

/** Empty for what is not JSON: a process runs code of the user. */
function parseCounts(text: string): MetricSnapshot[] {
  try {
    return parseMetrics(JSON.parse(text));
  } catch {
    return [];
  }
}
