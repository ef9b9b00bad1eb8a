import { beforeEach, describe, expect, it } from 'vitest';
import { mostOwners, mostQueues, type QueueNews, Queues } from '../../../../src/daemon/in-app/queues.ts';
import type { Child } from '../../../../src/daemon/launch/launcher.ts';
import { marker } from '../../../../src/ipc/worker-messages.ts';

/** A process that the test plays. */
class FakeProcess {
  readonly received: { name: string; place: string; owners: string[] }[] = [];
  readonly pid: number;
  readonly plan: { id: number; slot: number; spec: { name: string } };
  hasChannel = true;

  constructor(id: number, app = 'web') {
    this.pid = 100 + id;
    this.plan = { id, slot: id, spec: { name: app } };
  }

  get child(): Child {
    return this as unknown as Child;
  }

  send(message: { name: string; place: string; owners: string[] }): boolean {
    if (this.hasChannel) this.received.push(message);
    return this.hasChannel;
  }

  get owners(): string[] {
    return this.received.flatMap(({ owners }) => owners);
  }
}

let queues: Queues;
let one: FakeProcess;
let other: FakeProcess;
let third: FakeProcess;
let opener: FakeProcess;
beforeEach(() => {
  queues = new Queues();
  [one, other] = [new FakeProcess(0), new FakeProcess(1)];
  [third, opener] = [new FakeProcess(2, 'job'), new FakeProcess(3, 'job')];
});

const reports = (process: FakeProcess, part: QueueNews['part'], fields: Partial<QueueNews> = {}) =>
  queues.onMessage(process.child, {
    cmd: marker,
    type: 'queue',
    name: 'exports',
    place: '/a',
    owner: `owner-${process.plan.id}`,
    part,
    ...fields,
  });
const ends = (process: FakeProcess) => queues.gone(process.child);

describe('the death of a process that works on a queue', () => {
  it('is sent to all other workers of the queue, whatever their app', () => {
    for (const process of [one, other, third]) reports(process, 'works');
    reports(opener, 'open');
    ends(one);
    const news = { cmd: marker, type: 'owners-gone', name: 'exports', place: '/a', owners: ['owner-0'] };
    expect([one, other, third, opener].map(({ received }) => received)).toEqual([[], [news], [news], []]);
  });

  it.each([
    ['it works on another queue', { name: 'imports' }],
    ['it works on a queue of this name elsewhere', { place: '/b' }],
  ])('is not sent to a process if %s', (_why, fields) => {
    reports(one, 'works');
    reports(other, 'works', fields);
    ends(one);
    expect(other.owners).toEqual([]);
  });

  it('is sent once, to the next worker of the queue, if there was none', () => {
    for (const process of [one, other]) reports(process, 'works');
    reports(opener, 'open');
    other.hasChannel = false;
    ends(one);
    ends(other);
    expect(opener.owners).toEqual([]);
    for (const process of [opener, third]) reports(process, 'works');
    expect([opener.owners, third.owners]).toEqual([['owner-0', 'owner-1'], []]);
  });

  it.each([
    ['only opened it', 'open'],
    ['has closed it', 'closed'],
  ] as const)('is not sent at all if it %s', (_what, part) => {
    reports(one, 'works');
    reports(one, part);
    ends(one);
    reports(other, 'works');
    expect(other.owners).toEqual([]);
  });

  it('takes limited memory, however often it happens', () => {
    for (let n = 0; n < 3 * mostOwners; n += 1) {
      const process = new FakeProcess(n);
      process.hasChannel = false;
      reports(process, 'works');
      ends(process);
    }
    reports(one, 'works');
    expect(one.owners).toHaveLength(mostOwners);
    expect(one.owners.at(-1)).toBe(`owner-${3 * mostOwners - 1}`);
    for (let n = 0; n < 300; n += 1) {
      const process = new FakeProcess(n);
      reports(process, 'works', { name: `q${n}` });
      ends(process);
    }
    for (const name of ['q0', 'q299']) reports(other, 'works', { name });
    expect(other.owners).toEqual(['owner-299']);
  });
});

describe('the queues of a process', () => {
  it('are those that it has opened and not closed', () => {
    reports(one, 'open');
    reports(one, 'open', { name: 'a' });
    reports(one, 'closed', { name: 'a' });
    reports(other, 'works');
    reports(other, 'open', { place: '/b' });
    expect(queues.namesOf(one.child)).toEqual(['exports']);
    expect(queues.view()).toEqual([
      {
        name: 'exports',
        place: '/a',
        processes: [
          { app: 'web', id: 0, slot: 0, pid: 100, works: false },
          { app: 'web', id: 1, slot: 1, pid: 101, works: true },
        ],
      },
      { name: 'exports', place: '/b', processes: [{ app: 'web', id: 1, slot: 1, pid: 101, works: false }] },
    ]);
    ends(one);
    ends(other);
    expect(queues.view()).toEqual([]);
  });

  it('are at most a hundred, and none after its end', () => {
    for (let n = 0; n < 2 * mostQueues; n += 1) reports(one, 'works', { name: `q${n}` });
    expect(queues.namesOf(one.child)).toHaveLength(mostQueues);
    reports(one, 'open', { name: 'q0' });
    expect(queues.view().find(({ name }) => name === 'q0')!.processes[0]!.works).toBe(false);
    ends(one);
    reports(one, 'works');
    expect(queues.view()).toEqual([]);
  });
});
