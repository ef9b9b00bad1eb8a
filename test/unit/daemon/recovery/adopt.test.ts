import { expect, it } from 'vitest';
import { parseAppSpec } from '../../../../src/config/app-spec.ts';
import { createDependencies } from '../../../../src/daemon/apps/depends-on/dependencies.ts';
import { Registry } from '../../../../src/daemon/apps/registry.ts';
import { createAdopter } from '../../../../src/daemon/launch/adopted.ts';
import type { Logger } from '../../../../src/daemon/logger.ts';
import type { GroupRecord } from '../../../../src/daemon/process/record.ts';
import { adopt } from '../../../../src/daemon/recovery/adopt.ts';
import { settle } from '../../../helpers/fake-clock.ts';
import { FakeWorld } from '../../../helpers/fake-host.ts';
import { groupRecord, origin, processRecord, snapshot } from '../../../helpers/records.ts';
import { samples } from '../../../helpers/states.ts';

const silent = { info() {}, warn() {}, error() {} } as unknown as Logger;

/** The next daemon, on a machine on which none of the recorded processes is left. */
async function adopted(groups: GroupRecord[]): Promise<Registry> {
  const world = new FakeWorld();
  const registry = new Registry();
  world.dependencies = createDependencies({ registry, events: world.bus, isComplete: true });
  const previous = { snapshot: snapshot({ groups }), isOlder: false, spoiled: [], problems: [], marked: [] };
  await adopt(previous, {
    origin,
    registry,
    reaper: world.host,
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

it('what is to be started stays recorded while it waits for another app', async () => {
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
