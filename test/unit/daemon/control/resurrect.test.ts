// The order in which the saved apps start.
import { beforeEach, expect, it } from 'vitest';
import { parseAppSpec } from '../../../../src/config/app-spec.ts';
import { createDependencies } from '../../../../src/daemon/apps/depends-on/dependencies.ts';
import { ManagedApps } from '../../../../src/daemon/apps/managed-apps.ts';
import { start } from '../../../../src/daemon/apps/operations.ts';
import { everything, Registry } from '../../../../src/daemon/apps/registry.ts';
import { resurrect } from '../../../../src/daemon/control/resurrect.ts';
import type { SavedApp } from '../../../../src/daemon/state/saved-list.ts';
import { settle } from '../../../helpers/fake-clock.ts';
import { FakeWorld, statesOf } from '../../../helpers/fake-host.ts';

let world: FakeWorld;
let registry: Registry;
let managed: ManagedApps;

beforeEach(() => {
  world = new FakeWorld();
  registry = new Registry();
  const dependencies = createDependencies({ registry, events: world.bus, isComplete: true });
  world.dependencies = dependencies;
  managed = new ManagedApps({
    registry,
    dependencies,
    createGroup: ({ name, dependsOn }) => world.group({ name, dependsOn, maxRestarts: 0 }),
    attachTriggers: async () => () => {},
  });
});

const saved = (name: string, dependsOn: string[] = [], active = true): SavedApp => ({
  spec: parseAppSpec({ name, script: '/app.js', cwd: '/', dependsOn }),
  active,
});
const command = (...apps: SavedApp[]) => resurrect(apps, { registry, managed, failed: () => {} }, () => {});
const spawned = () => world.children.map(({ plan }) => plan.spec.name);

it('an app starts when those that it depends on are ready', async () => {
  const done = command(saved('web', ['db', 'cache']), saved('db'), saved('cache', [], false));
  await settle();
  expect(spawned()).toEqual(['db']);
  expect(registry.groups.map(({ name }) => name)).toEqual(['web', 'db', 'cache']);
  world.children[0]!.listens();
  await settle();
  expect(spawned()).toEqual(['db', 'web']);
  world.children[1]!.listens();
  await done;
  expect(managed.notResurrected.size).toBe(0);
});

it('the command does not wait for an app whose dependency has failed, which starts once that is ready', async () => {
  const failing = expect(command(saved('web', ['db']), saved('db'))).rejects.toMatchObject({ code: 'NOT_READY' });
  await settle();
  world.children[0]!.exits(1);
  await failing;
  expect(registry.find('web')!.hold.isStartDue).toBe(true);
  await start(everything(registry.find('db')!), undefined, false, () => {});
  world.children.at(-1)!.listens();
  await settle();
  expect(spawned()).toContain('web');
});

it('only an app that a person has stopped is left alone by its schedule', async () => {
  await command(saved('finished', [], false), { ...saved('stopped', [], false), isLeftAlone: true });
  expect(registry.groups.map(({ processes }) => processes.map(({ isLeftAlone }) => isLeftAlone))).toEqual([
    [false],
    [true],
  ]);
});

it('apps that depend on each other all start', async () => {
  world.onLaunch = (child) => child.listens();
  await command(saved('a', ['b']), saved('b', ['a']), saved('c', ['c']));
  expect(registry.groups.map(statesOf)).toEqual([['online'], ['online'], ['online']]);
});
