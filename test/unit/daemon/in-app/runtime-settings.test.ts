// The two phases of a change, with processes that a test plays.
import { beforeEach, describe, expect, it } from 'vitest';
import type { DaemonEvent } from '../../../../src/daemon/events.ts';
import { confirmTimeout, RuntimeSettings, voteTimeout } from '../../../../src/daemon/in-app/runtime-settings.ts';
import type { Child } from '../../../../src/daemon/launch/launcher.ts';
import { type DownMessage, marker } from '../../../../src/ipc/worker-messages.ts';
import { eventually } from '../../../helpers/eventually.ts';
import { FakeClock, settle } from '../../../helpers/fake-clock.ts';

/** Replies to everything at once, as long as it is not other. */
class FakeProcess {
  readonly received: DownMessage[] = [];
  readonly plan: { slot: number };
  isBlocked = false;
  hasChannel = true;
  objection: string | undefined;
  version = 0;
  settings: RuntimeSettings | undefined;

  constructor(slot: number) {
    this.plan = { slot };
  }

  get child(): Child {
    return this as unknown as Child;
  }

  send(message: DownMessage): boolean {
    if (!this.hasChannel) return false;
    this.received.push(message);
    if (!this.isBlocked) setImmediate(() => this.reply(message));
    return true;
  }

  reply(message: DownMessage): void {
    const { objection: reason } = this;
    if (message.type === 'settings-proposed') {
      const { proposal } = message;
      this.settings?.onMessage(this.child, { cmd: marker, type: 'settings-vote', proposal, ...(reason && { reason }) });
    }
    if (message.type === 'settings') {
      this.version = message.version;
      this.settings?.onMessage(this.child, { cmd: marker, type: 'settings-held', version: message.version });
    }
  }

  /** Replies to what it has not read yet. */
  returns(): void {
    this.isBlocked = false;
    for (const message of this.received.splice(0)) this.reply(message);
  }
}

let clock: FakeClock;
let first: FakeProcess;
let other: FakeProcess;
let processes: FakeProcess[];
let settings: RuntimeSettings;
let events: DaemonEvent[];
let recorded: number[];

beforeEach(() => {
  clock = new FakeClock();
  [first, other] = [new FakeProcess(0), new FakeProcess(1)];
  processes = [first, other];
  events = [];
  recorded = [];
  settings = new RuntimeSettings({
    name: 'web',
    clock,
    children: () => processes.map(({ child }) => ({ child, votes: true })),
    changed: () => {},
    async kept() {
      await settle();
      recorded.push(settings.held.version);
    },
    emit: (event) => events.push(event),
  });
  for (const process of processes) {
    process.settings = settings;
    settings.checks(process.child, true);
  }
});

const set = (values: object) => settings.change((held) => ({ ...held, values: { ...held.values, ...values } }));
const versions = () => processes.map(({ version }) => version);

describe('a change', () => {
  it('is written down before any process has it', async () => {
    let before: number[] | undefined;
    first.send = new Proxy(first.send, {
      apply(send, process, [message]: [DownMessage]) {
        if (message.type === 'settings') before ??= [...recorded];
        return Reflect.apply(send, process, [message]);
      },
    });
    await set({ limit: 1 });
    expect([before, versions()]).toEqual([[1], [1, 1]]);
    expect(events).toEqual([{ type: 'settings-changed', app: 'web', version: 1, keys: ['limit'] }]);
    expect(clock.pending).toBe(0);
  });

  it('has no effect if one process rejects it', async () => {
    await set({ limit: 1 });
    other.objection = 'too much';
    await expect(set({ limit: 2 })).rejects.toMatchObject({
      code: 'SETTINGS_REJECTED',
      message: 'the runtime settings of "web" were not changed: too much (instance 1)',
    });
    expect([settings.held.values, versions(), recorded]).toEqual([{ limit: 1 }, [1, 1], [1]]);
  });

  it('asks only the processes that have checks', async () => {
    settings.checks(other.child, false);
    await set({ limit: 1 });
    const types = ({ received }: FakeProcess) => received.map(({ type }) => type);
    expect([types(first), types(other)]).toEqual([['settings-proposed', 'settings'], ['settings']]);
  });

  it('is not rejected by a process that has voted, or has no vote', async () => {
    other.isBlocked = true;
    const changed = set({ limit: 1 });
    await settle(2);
    for (const child of [first.child, new FakeProcess(2).child])
      settings.onMessage(child, { cmd: marker, type: 'settings-vote', proposal: 1, reason: 'too late' });
    other.returns();
    await changed;
    expect(first.version).toBe(1);
  });

  it('asks no process if it changes nothing', async () => {
    await set({ limit: 1 });
    const received = processes.map((process) => process.received.length);
    await set({ limit: 1 });
    expect(processes.map((process) => process.received.length)).toEqual(received);
    expect(settings.held.version).toBe(1);
  });

  it('waits for its turn, but not for a process that has exited', async () => {
    other.isBlocked = true;
    const changes = [set({ limit: 1 }), set({ limit: 2 })];
    await settle();
    expect(first.received).toHaveLength(1);
    settings.gone(other.child);
    await Promise.all(changes);
    expect(first.version).toBe(2);
  });

  it('does not wait for a process without a channel', async () => {
    other.hasChannel = false;
    await set({ limit: 1 });
    expect(versions()).toEqual([1, 0]);
  });
});

describe('a blocked process', () => {
  it('does not keep the others from a change if no process has checks', async () => {
    other.isBlocked = true;
    for (const { child } of processes) settings.checks(child, false);
    const changing = set({ limit: 1 });
    await eventually(() => first.version === 1, 'the other process has it');
    await clock.passes(confirmTimeout);
    await changing;
  });

  it('delays one change for a limited time, and receives only the last one', async () => {
    other.isBlocked = true;
    const changing = set({ limit: 1 });
    await settle();
    await clock.passes(voteTimeout);
    await settle();
    await changing;
    for (const limit of [2, 3]) await set({ limit });
    expect(other.received.map(({ type }) => type)).toEqual(['settings-proposed']);
    expect(clock.now()).toBeLessThan(voteTimeout + confirmTimeout);
    other.returns();
    await settle();
    expect([other.version, settings.versionOf(other.child)]).toEqual([3, 3]);
  });

  it('cannot reject a change that has already been made', async () => {
    other.isBlocked = true;
    other.objection = 'no';
    const changing = set({ limit: 1 });
    await settle();
    await clock.passes(voteTimeout);
    await changing;
    other.returns();
    await settle();
    expect(versions()).toEqual([1, 1]);
  });
});

describe('a process that reconnects', () => {
  it('receives the current settings, whatever it has', async () => {
    await set({ limit: 1 });
    settings.onMessage(first.child, { cmd: marker, type: 'settings-held', version: 9 });
    settings.returned(first.child);
    await settle();
    expect(settings.versionOf(first.child)).toBe(1);
  });

  it('does not receive the same settings repeatedly, whatever it replies', async () => {
    await set({ limit: 1 });
    const before = first.received.length;
    for (let count = 0; count < 5; count += 1)
      settings.onMessage(first.child, { cmd: marker, type: 'settings-held', version: 9 });
    expect(first.received.length - before).toBe(0);
  });

  it('receives nothing if there have never been settings', () => {
    settings.returned(first.child);
    expect(first.received).toEqual([]);
  });
});
