// A machine without processes: what the daemon's logic asks of it is recorded, and a test plays the processes.
import { parseAppSpec } from '../../src/config/app-spec.ts';
import type { Dependencies } from '../../src/daemon/apps/depends-on/hold.ts';
import { Group } from '../../src/daemon/apps/group.ts';
import type { GroupDeps } from '../../src/daemon/apps/group-deps.ts';
import { launch, replace } from '../../src/daemon/apps/operations.ts';
import { createEventBus, type DaemonEvent } from '../../src/daemon/events.ts';
import type { Child, ChildEvents, Launcher, LaunchPlan } from '../../src/daemon/launch/launcher.ts';
import type { Host } from '../../src/daemon/process/host.ts';
import type { GroupRecord, LeftRecord } from '../../src/daemon/process/record.ts';
import { createRestartRate } from '../../src/daemon/process/restart-rate.ts';
import type { GroupSockets, HeldAddress, Refusal } from '../../src/daemon/sockets/group-sockets.ts';
import type { TriggerDeps } from '../../src/daemon/triggers/triggers.ts';
import type { Exit } from '../../src/ipc/views.ts';
import type { Identity } from '../../src/os/proc.ts';
import { FakeClock, settle } from './fake-clock.ts';

export class FakeChild implements Child {
  readonly startTime = 1;
  readonly signals: string[] = [];
  readonly pid: number;
  readonly plan: LaunchPlan;
  readonly events: ChildEvents;
  readonly world: FakeWorld;
  alive = true;

  constructor(pid: number, plan: LaunchPlan, events: ChildEvents, world: FakeWorld) {
    this.pid = pid;
    this.plan = plan;
    this.events = events;
    this.world = world;
  }

  /** A worker that takes messages drains: off unless a test plays that. */
  takesMessages = false;
  readonly sent: object[] = [];

  send(message: object): boolean {
    this.sent.push(message);
    return this.takesMessages;
  }

  exits(exit: number | NodeJS.Signals): void {
    this.alive = false;
    this.world.log.push(`exit ${this.pid}`);
    const exact: Exit = typeof exit === 'number' ? { code: exit, signal: null } : { code: null, signal: exit };
    this.events.exited(exact);
  }

  says(message: unknown): void {
    this.events.message(message, false);
  }

  sends(message: object): void {
    this.events.message(message, true);
  }

  listens(): void {
    this.events.message({ type: 'serving' }, true);
  }
}

export class FakeWorld {
  readonly clock = new FakeClock();
  readonly children: FakeChild[] = [];
  readonly bus = createEventBus();
  readonly events: DaemonEvent[] = [];
  /** Spawns, exits and socket changes, in order. */
  readonly log: string[] = [];
  /** Thrown by the next spawns. */
  spawnError: Error | undefined;
  /** By pid, where a process does not listen though the others do. */
  readonly missing = new Map<number, string[]>();
  /** By pid, the processes that listen in as many places as those before them. */
  readonly settled = new Set<number>();
  /** By pid, what processes could not bind. */
  readonly refusals = new Map<number, Refusal>();
  readonly #held: HeldAddress[] = [];
  readonly #withdrawn = new Set<Child>();
  /** Of the next groups, on each other. */
  dependencies: Dependencies | undefined;
  /** Called when one of the next groups has a new name. */
  onRename: GroupDeps['renamed'];
  /** How the next hooks end. */
  hookProblem: string | undefined;
  /** What a child does when it gets a signal; by default SIGTERM and SIGKILL end it. */
  onSignal = (child: FakeChild, signal: NodeJS.Signals): void => {
    if (signal === 'SIGTERM' || signal === 'SIGKILL') setImmediate(() => child.alive && child.exits(signal));
  };

  /** How processes take the connections of probes; by default they cannot be asked. */
  probing: GroupSockets['probing'] = { serversOf: () => undefined, connect: async () => undefined };

  /** Called after each change that the next daemon must know about. */
  onChange = (): void => {};
  /** Resolves when the next daemon would know of what has changed. */
  kept = async (): Promise<void> => {};

  /** Resolves when the next start has its turn. */
  turn = async (): Promise<void> => {};

  /** What a child does by itself once it was started. */
  onLaunch = (_child: FakeChild): void => {};

  constructor() {
    this.bus.subscribe((event) => this.events.push(event));
  }

  readonly host: Host = {
    clock: this.clock,
    launcher: {
      launch: (plan, events) => {
        if (this.spawnError) throw this.spawnError;
        const child = new FakeChild(1_000 + this.children.length, plan, events, this);
        this.children.push(child);
        this.log.push(`spawn ${child.pid}`);
        const { onLaunch } = this;
        queueMicrotask(() => this.#loaded(child));
        setImmediate(() => onLaunch(child));
        return child;
      },
    },
    oomKills: { watch: () => {}, explain: () => undefined },
    portHolders: { of: () => undefined },
    restartRate: createRestartRate(this.clock, () => 2),
    turn: () => this.turn(),
    breather: async () => {},
    signal: ({ pid }: Identity, signal) => {
      const child = this.children.find((candidate) => candidate.pid === pid);
      if (!child?.alive) return false;
      child.signals.push(signal);
      this.onSignal(child, signal);
      return true;
    },
    runHook: async ({ command }) => {
      this.log.push(command);
      return { problem: this.hookProblem, output: ['it said so'] };
    },
    treeOf: (who) => this.children.filter(({ pid, alive }) => alive && pid === who.pid),
    mayHaveLeft: () => false,
  };

  /** Programs are loaded at once. */
  #loaded(child: FakeChild): void {
    if (child.alive) child.sends({ type: 'loaded' });
  }

  /** In steps, so that processes come to what they do by themselves. */
  async elapses(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 100) {
      await settle();
      await this.clock.passes(100);
    }
    await settle();
  }

  /** What triggers need, without a memory to sample. */
  readonly triggerDeps: TriggerDeps = {
    clock: this.clock,
    home: '/nowhere',
    writtenFiles: () => [],
    rotateLogs() {},
    events: this.bus,
    sampler: { sample: async () => new Map() },
    guard: { watch: () => quiet },
  };

  /** Living children, oldest first. */
  get living(): FakeChild[] {
    return this.children.filter(({ alive }) => alive);
  }

  group(settings: Record<string, unknown> = {}): Group {
    return new Group(
      parseAppSpec({ name: 'web', script: '/app.js', cwd: '/', node: true, ...settings }),
      this.#groupDeps(0),
    );
  }

  /** What the next daemon makes of this record: all processes in it live on. */
  adopted(record: GroupRecord): Group {
    const group = new Group(record.spec, this.#groupDeps(record.processes.length), record);
    const left = record.processes.map(({ state, ...rest }): LeftRecord => {
      const identity = 'pid' in state ? { pid: state.pid, startTime: 1, mark: '' } : null;
      return { ...rest, was: state, identity };
    });
    for (const slot of new Set(left.map((process) => process.slot))) {
      const candidates = left.filter((process) => process.slot === slot);
      group.adopt(
        slot,
        candidates.map((process) => ({ record: process, lives: process.identity !== null })),
        false,
        ({ was }) => this.#finderOf(was),
      );
    }
    return group;
  }

  /** An app whose instances all listen. */
  async running(settings: Record<string, unknown> = {}): Promise<Group> {
    const group = this.group(settings);
    const launched = launch(group, true, () => {});
    await settle();
    for (const child of this.living) {
      child.listens();
      child.says('ready');
    }
    await launched;
    this.log.length = 0;
    return group;
  }

  #groupDeps(nextId: number): GroupDeps {
    let id = nextId;
    return {
      host: this.host,
      events: this.bus,
      streams: () => ({ outFile: '/nowhere/out', errorFile: '/nowhere/err' }),
      ...(this.dependencies && { dependencies: this.dependencies }),
      nextId: () => id++,
      replace,
      createSockets: () => this.#sockets(),
      ...(this.onRename && { renamed: this.onRename }),
      changed: () => this.onChange(),
      kept: () => this.kept(),
    };
  }

  #finderOf(state: LeftRecord['was']): Launcher {
    return {
      launch: (plan, events) => {
        const child = new FakeChild('pid' in state ? state.pid : 0, plan, events, this);
        this.children.push(child);
        queueMicrotask(() => this.#loaded(child));
        return child;
      },
    };
  }

  /** Groups hold a socket, and these processes were given it. */
  holds(address: string, ...pids: number[]): void {
    const held: HeldAddress = {
      isKept: true,
      isOf: (child) => pids.includes(child.pid) && !this.#withdrawn.has(child),
      close: () => {
        this.#held.splice(this.#held.indexOf(held), 1);
        this.log.push(`close ${address}`);
      },
    };
    this.#held.push(held);
  }

  #sockets(): GroupSockets {
    const world = this;
    return {
      accepting: {
        leave: ({ pid }) => void this.log.push(`queue without ${pid}`),
        join: ({ pid }) => void this.log.push(`queue with ${pid}`),
        holdBack: () => {},
      },
      probing: this.probing,
      returned: async () => {},
      open: async () => void this.log.push('sockets open'),
      inherited: () => [],
      receive: () => {},
      ports: [],
      expect: () => {},
      lost: () => {},
      held: () => [],
      takeOver: () => {},
      waiting: 0,
      leaving: () => {},
      withdrawn(child) {
        world.log.push(`withdrawn ${child.pid}`);
        world.#withdrawn.add(child);
      },
      released: (child) => void this.#withdrawn.add(child),
      served: {
        missing: (child) => this.missing.get(child.pid) ?? [],
        hasAll: ({ pid }) => this.settled.has(pid),
      },
      refusalOf: ({ pid }) => this.refusals.get(pid),
      holderOf: () => undefined,
      urlsOf: () => [],
      listening: { addressesOf: () => [] },
      addresses: () => [],
      get closable() {
        return [...world.#held];
      },
      close: () => void this.log.push('sockets close'),
    };
  }
}

export const statesOf = (group: Group) => group.processes.map(({ state }) => state.kind);
export const pidsOf = (group: Group) => group.processes.map(({ child }) => child?.pid);
/** Hears what a command says, and drops it. */
export const quiet = () => {};
