import { expect, it } from 'vitest';
import { parseAppSpec } from '../../../../src/config/app-spec.ts';
import { createDependencies } from '../../../../src/daemon/apps/depends-on/dependencies.ts';
import { Registry } from '../../../../src/daemon/apps/registry.ts';
import { createAdopter } from '../../../../src/daemon/launch/adopted.ts';
import type { Logger } from '../../../../src/daemon/logger.ts';
import type { GroupRecord } from '../../../../src/daemon/process/record.ts';
import { adopt } from '../../../../src/daemon/recovery/adopt.ts';
import type { Stray } from '../../../../src/daemon/state/search.ts';
import type { Identity } from '../../../../src/os/tree.ts';
import { settle } from '../../../helpers/fake-clock.ts';
import { FakeWorld } from '../../../helpers/fake-host.ts';
import { groupRecord, origin, processRecord, snapshot, token } from '../../../helpers/records.ts';
import { samples } from '../../../helpers/states.ts';

const silent = { info() {}, warn() {}, error() {} } as unknown as Logger;

/** The next daemon, on a machine on which none of the recorded processes is left. Signals go to `signalled`. */
async function adopted(groups: GroupRecord[], marked: Stray[] = [], signalled: number[] = []): Promise<Registry> {
  const world = new FakeWorld();
  const signal = ({ pid }: Identity) => signalled.push(pid) > 0;
  const registry = new Registry();
  world.dependencies = createDependencies({ registry, events: world.bus, isComplete: true });
  const previous = { snapshot: snapshot({ groups }), isOlder: false, spoiled: [], problems: [], marked };
  await adopt(previous, {
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

it('a process without a record is stopped, unless it was started while nothing could be recorded', async () => {
  const stray = (sequence: number): Stray => {
    const mark = { token, home: 'h', sequence, isTrial: false, id: 0, slot: 0, restarts: 0, uid: 0, app: 'other' };
    return { pid: sequence, startTime: 1, mark, text: '' };
  };
  const signalled: number[] = [];
  await adopted([], [stray(7), { ...stray(8), unrecorded: {} }], signalled);
  expect(signalled).toEqual([7]);
});
