import { expect, it } from 'vitest';
import { parseAppSpec } from '../../../../src/config/app-spec.ts';
import { createDependencies } from '../../../../src/daemon/apps/depends-on/dependencies.ts';
import type { Group } from '../../../../src/daemon/apps/group.ts';
import * as operations from '../../../../src/daemon/apps/operations.ts';
import { everything, Registry } from '../../../../src/daemon/apps/registry.ts';
import { createAdopter } from '../../../../src/daemon/launch/adopted.ts';
import type { Logger } from '../../../../src/daemon/logger.ts';
import type { GroupRecord } from '../../../../src/daemon/process/record.ts';
import { adoptProcesses, finish } from '../../../../src/daemon/recovery/adopt.ts';
import { parseGroupRecord } from '../../../../src/daemon/state/group-record.ts';
import type { UnrecordedProcess } from '../../../../src/daemon/state/search.ts';
import type { Identity } from '../../../../src/os/proc.ts';
import { settle } from '../../../helpers/fake-clock.ts';
import { FakeWorld, quiet, statesOf } from '../../../helpers/fake-host.ts';
import { groupRecord, origin, processRecord, snapshot, token } from '../../../helpers/records.ts';
import { samples } from '../../../helpers/states.ts';

const silent = { info() {}, warn() {}, error() {} } as unknown as Logger;

/** The next daemon, on a machine on which none of the recorded processes is left. Signals go to `signalled`. */
async function adopted(
  groups: GroupRecord[],
  marked: UnrecordedProcess[] = [],
  signalled: number[] = [],
): Promise<Registry> {
  const world = new FakeWorld();
  const signal = ({ pid }: Identity) => signalled.push(pid) > 0;
  const registry = new Registry();
  world.dependencies = createDependencies({ registry, events: world.bus, isComplete: true });
  const previous = { snapshot: snapshot({ groups }), isOlder: false, invalid: [], problems: [], marked };
  await adoptProcesses(previous, {
    origin,
    registry,
    reaper: { ...world.host, treeOf: (who) => [who], signal },
    adopter: createAdopter({ clock: world.clock }),
    clock: world.clock,
    logger: silent,
    createGroup: (record) => world.adopted({ ...record, processes: [] }),
    attach: async () => {},
    giveSockets() {},
    remove: async () => {},
  });
  await settle();
  return registry;
}

it('an intended start stays recorded while it waits for another app', async () => {
  const app = (settings: object) => parseAppSpec({ script: '/app.js', cwd: '/', node: true, ...settings });
  const waiting = { kind: 'backoff', failures: 1, deadline: 1e9 } as const;
  const db = groupRecord([processRecord(0, { state: samples.errored })], { spec: app({ name: 'db' }) });
  const web = groupRecord([processRecord(0, { state: waiting }), processRecord(0, { id: 1, slot: 1 })], {
    spec: app({ name: 'web', instances: 2, dependsOn: ['db'] }),
    intent: { kind: 'start', slots: [1] },
  });
  const registry = await adopted([db, web]);
  expect(registry.find('web')!.hold.isStartDue).toBe(true);
  expect(registry.find('web')!.record().intent).toEqual({ kind: 'start', slots: [1] });
});

it('a process without a record is stopped, unless it was started while nothing could be recorded', async () => {
  const stray = (sequence: number): UnrecordedProcess => {
    const mark = { token, home: 'h', sequence, isTrial: false, id: 0, slot: 0, restarts: 0, uid: 0, app: 'other' };
    return { pid: sequence, startTime: 1, mark, text: '' };
  };
  const signalled: number[] = [];
  await adopted([], [stray(7), { ...stray(8), unrecorded: {} }], signalled);
  expect(signalled).toEqual([7]);
});

/** What can be on the disk after each change while `act` runs. */
async function recordsOf(world: FakeWorld, group: Group, act: () => unknown): Promise<GroupRecord[]> {
  const records: GroupRecord[] = [];
  world.onLaunch = (child) => child.listens();
  world.onChange = () => {
    // It is never written down while a process is being spawned.
    if (statesOf(group).includes('spawning')) return;
    records.push(parseGroupRecord(JSON.parse(JSON.stringify(group.record())), 'app'));
  };
  await act();
  // What listened before has its whole time to listen again.
  for (let turn = 0; turn < 40; turn += 1) await world.clock.passes(1_000);
  return records;
}

/** What the next daemon makes of a record, and what it records meanwhile. */
async function nextDaemon(record: GroupRecord) {
  const world = new FakeWorld();
  const group = world.adopted(record);
  const logger = { error: (...reported: unknown[]) => expect(reported).toEqual([]) };
  const replaceRemoved = (old: Group) => operations.remove(old, 'delete');
  const records = await recordsOf(world, group, () => finish(group, record.intent, { logger, replaceRemoved }));
  return { states: statesOf(group).join(' '), records, intent: group.record().intent };
}

const all = everything;
const commands: [title: string, instances: number, command: (group: Group) => Promise<void>, ends: string[]][] = [
  ['scale to more', 2, (group) => operations.scale(group, 4, quiet), ['online online online online']],
  ['scale to fewer', 3, (group) => operations.scale(group, 1, quiet), ['online']],
  ['stop', 2, (group) => operations.stop(all(group)), ['stopped stopped']],
  ['delete', 2, (group) => operations.remove(group, 'delete'), ['stopped stopped']],
  ['restart', 2, (group) => operations.restart(all(group), undefined, quiet), ['online online']],
  [
    'start after a stop',
    2,
    (group) => operations.stop(all(group)).then(() => operations.start(all(group), undefined, true, quiet)),
    ['stopped stopped', 'online online'],
  ],
];

it.each(commands)('the next daemon completes %s, even if one or two daemons die at any moment', async (...row) => {
  const [, instances, command, ends] = row;
  const world = new FakeWorld();
  const group = await world.running({ instances });
  const records = await recordsOf(world, group, () => command(group));
  expect(records.length).toBeGreaterThan(2);
  for (const record of records) {
    const second = await nextDaemon(record);
    expect(ends).toContain(second.states);
    // Only a deletion is never over.
    expect(second.intent?.kind ?? 'remove').toBe('remove');
    for (const later of second.records) expect(ends).toContain((await nextDaemon(later)).states);
  }
});
