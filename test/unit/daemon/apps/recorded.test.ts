import { expect, it } from 'vitest';
import type { Group } from '../../../../src/daemon/apps/group.ts';
import { asked } from '../../../../src/ipc/records/deaths.ts';
import { FakeWorld } from '../../../helpers/fake-host.ts';

// The record of an app is encoded again only after it has told of a change (recovery/persistence.ts).
it.each([
  ['listens at once', (world: FakeWorld) => world.children[0]?.listens()],
  [
    'listens after it was taken for one that does not',
    async (world: FakeWorld) => {
      await world.clock.passes(60_000);
      world.children[0]?.listens();
    },
  ],
  ['exits', (world: FakeWorld) => world.children[0]?.exits(1)],
  ['is stopped', (_: FakeWorld, group: Group) => group.at(0)?.stop(asked('stop'))],
])('what is recorded of an app does not change without notice: its process %s', async (_, happens) => {
  const world = new FakeWorld();
  const group = await world.running({});
  let noted = '';
  world.onChange = () => setImmediate(() => (noted = JSON.stringify(group.record())));
  await happens(world, group);
  await world.clock.passes(60_000);
  expect(JSON.stringify(group.record())).toBe(noted);
});
