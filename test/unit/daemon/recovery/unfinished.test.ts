// A daemon may die at each change that it records, and so may the next one while it finishes what the first had begun.
import { expect, it } from 'vitest';
import type { Group } from '../../../../src/daemon/apps/group.ts';
import * as operations from '../../../../src/daemon/apps/operations.ts';
import { everything } from '../../../../src/daemon/apps/registry.ts';
import type { GroupRecord } from '../../../../src/daemon/process/record.ts';
import { finish } from '../../../../src/daemon/recovery/unfinished.ts';
import { parseGroupRecord } from '../../../../src/daemon/state/group-record.ts';
import { FakeWorld, statesOf } from '../../../helpers/fake-host.ts';

const quiet = () => {};

/** What can be on the disk after each change while `act` runs. */
async function recordsOf(world: FakeWorld, group: Group, act: () => unknown): Promise<GroupRecord[]> {
  const records: GroupRecord[] = [];
  world.onLaunch = (child) => child.listens();
  world.onChange = () => {
    // It is never written down while a process is being spawned.
    if (statesOf(group).includes('spawning')) return;
    records.push(parseGroupRecord(JSON.parse(JSON.stringify(group.record()))));
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
  const logger = { error: (...told: unknown[]) => expect(told).toEqual([]) };
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

it.each(commands)('%s is never left half done, by one death or two, whenever they come', async (...row) => {
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
