// `depends_on` while the apps run: what holds a start back, and what does not.
import { beforeEach, describe, expect, it } from 'vitest';
import { createDependencies } from '../../../../src/daemon/apps/depends-on/dependencies.ts';
import type { Dependencies } from '../../../../src/daemon/apps/depends-on/hold.ts';
import type { Group } from '../../../../src/daemon/apps/group.ts';
import * as operations from '../../../../src/daemon/apps/operations.ts';
import { everything, Registry } from '../../../../src/daemon/apps/registry.ts';
import { viewStanding } from '../../../../src/daemon/control/view.ts';
import { settle } from '../../../helpers/fake-clock.ts';
import { FakeWorld, quiet } from '../../../helpers/fake-host.ts';

let world: FakeWorld;
let registry: Registry;
let dependencies: Dependencies;

function begin(isComplete = true): void {
  world = new FakeWorld();
  registry = new Registry();
  dependencies = createDependencies({ registry, events: world.bus, isComplete });
  world.dependencies = dependencies;
}

beforeEach(() => begin());

async function running(name: string, settings: Record<string, unknown> = {}): Promise<Group> {
  const group = await world.running({ name, ...settings });
  registry.add(group);
  dependencies.changed(group);
  return group;
}

function resting(name: string, settings: Record<string, unknown> = {}): Group {
  const group = world.group({ name, ...settings });
  registry.add(group);
  return group;
}

const childOf = ({ name }: Group) => world.living.find(({ plan }) => plan.spec.name === name);
const standingOf = (group: Group) => viewStanding(group, group.processes[0]!);
const reported = () => world.events.filter(({ type }) => type === 'dependency' || type === 'held');
const kindOf = (group: Group) => group.processes[0]!.state.kind;

/** It ends by itself, and its restart is due. */
async function crashes(group: Group): Promise<void> {
  childOf(group)!.exits(1);
  await settle();
  await world.clock.passes(1);
}

async function comesUp(group: Group): Promise<void> {
  childOf(group)!.listens();
  await settle();
}

/** A database that is restarted and not ready yet, and an app that needs it. */
async function withLateDatabase(settings: Record<string, unknown> = {}): Promise<{ db: Group; web: Group }> {
  const db = await running('db', settings);
  const web = await running('web', { dependsOn: ['db'], maxRestarts: 1 });
  await crashes(db);
  return { db, web };
}

describe('an app that is no longer ready', () => {
  it('is reported to the apps that depend on it, and again when it is ready', async () => {
    await running('other');
    const { db } = await withLateDatabase();
    expect(reported()).toEqual([{ type: 'dependency', app: 'web', on: 'db', ready: false }]);
    await comesUp(db);
    expect(reported()).toContainEqual({ type: 'dependency', app: 'web', on: 'db', ready: true });
  });

  it('is reported to apps that depend on it since a change of their settings, and not to those that no longer do', async () => {
    const db = await running('db', { maxRestarts: 1 });
    const web = await running('web', { dependsOn: ['db'] });
    const api = await running('api');
    web.setSettings({ dependsOn: [] });
    api.setSettings({ dependsOn: ['db'] });
    await crashes(db);
    expect(reported()).toEqual([{ type: 'dependency', app: 'api', on: 'db', ready: false }]);
  });

  it('is not reported while one of its instances is ready', async () => {
    const { db } = { db: await running('db', { instances: 2 }) };
    await running('web', { dependsOn: ['db'] });
    await crashes(db);
    expect(reported()).toEqual([]);
  });
});

describe('a restart', () => {
  it('is held back until the dependency is ready, without a timer', async () => {
    const { db, web } = await withLateDatabase();
    await crashes(web);
    expect(standingOf(web)).toMatchObject({ status: 'held', waitsFor: ['db'] });
    expect(reported()).toContainEqual({ type: 'held', app: 'web', id: 0, slot: 0, waitsFor: ['db'] });
    const pending = world.clock.pending;
    await world.clock.passes(1_000_000);
    expect(kindOf(web)).toBe('waiting');
    expect(world.clock.pending).toBeLessThanOrEqual(pending);
    await comesUp(db);
    expect(kindOf(web)).toBe('starting');
    expect(standingOf(web)).toMatchObject({ status: 'starting' });
  });

  it('waits for its own delay first', async () => {
    const db = await running('db');
    const web = await running('web', { dependsOn: ['db'], restartDelay: 5_000 });
    await crashes(web);
    await crashes(db);
    expect(standingOf(web).status).toBe('waiting restart');
    await world.clock.passes(5_000);
    expect(standingOf(web).status).toBe('held');
  });

  it('is not held back by a job that has finished', async () => {
    const job = await running('migrate', { autorestart: false });
    const web = await running('web', { dependsOn: ['migrate'] });
    await crashes(web);
    childOf(job)!.exits(0);
    await comesUp(web);
    await crashes(web);
    expect(kindOf(web)).toBe('starting');
  });

  it('is held back by a job if one of its instances has failed, even if the others have finished', async () => {
    const job = await running('migrate', { autorestart: false, instances: 2 });
    const web = await running('web', { dependsOn: ['migrate'] });
    childOf(job)!.exits(0);
    await settle();
    childOf(job)!.exits(1);
    await settle();
    await crashes(web);
    expect(standingOf(web)).toMatchObject({ status: 'held', waitsFor: ['migrate'] });
  });

  it.each([
    ['failed', (job: Group) => childOf(job)!.exits(1)],
    ['been stopped', (job: Group) => operations.stop(everything(job))],
  ])('is held back by a job that has %s', async (_what, end) => {
    const job = await running('migrate', { autorestart: false });
    const web = await running('web', { dependsOn: ['migrate'] });
    await end(job);
    await settle();
    await crashes(web);
    expect(standingOf(web)).toMatchObject({ status: 'held', waitsFor: ['migrate'] });
  });

  it('is not held back by unknown apps, nor by those that depend on this one', async () => {
    const web = await running('web', { dependsOn: ['nobody', 'api'] });
    const api = await running('api', { dependsOn: ['web'] });
    await crashes(api);
    await crashes(web);
    expect([kindOf(api), kindOf(web)]).toEqual(['starting', 'starting']);
  });

  it('continues when the app that it waits for is removed', async () => {
    const { db, web } = await withLateDatabase();
    await crashes(web);
    await operations.remove(db, 'delete');
    registry.remove(db);
    dependencies.removed(db);
    expect(kindOf(web)).toBe('starting');
  });

  it('is held back after a giveup as well', async () => {
    const db = await running('db');
    const web = await running('web', { dependsOn: ['db'], maxRestarts: 0, retryAfter: 1_000 });
    await crashes(db);
    await crashes(web);
    expect(kindOf(web)).toBe('errored');
    await world.clock.passes(1_000);
    expect(kindOf(web)).toBe('waiting');
    expect(standingOf(web)).toMatchObject({ status: 'held', waitsFor: ['db'] });
    await comesUp(db);
    expect(kindOf(web)).toBe('starting');
  });

  it('does not wait if a user starts the app', async () => {
    const { web } = await withLateDatabase();
    await crashes(web);
    await operations.start(everything(web), undefined, false, quiet);
    expect(kindOf(web)).toBe('starting');
  });

  it('is cancelled when the user stops the app', async () => {
    const { db, web } = await withLateDatabase();
    await crashes(web);
    await operations.stop(everything(web));
    await comesUp(db);
    expect(standingOf(web).status).toBe('stopped');
  });
});

describe('the start of a whole app', () => {
  const start = async (group: Group) => {
    const may = await group.hold.mayStart();
    if (may) await operations.start(everything(group), undefined, false, quiet);
    return may;
  };

  it('waits for a dependency that is meant to run', async () => {
    const db = resting('db', { waitReady: true });
    const web = resting('web', { dependsOn: ['db'] });
    await operations.start(everything(db), undefined, false, quiet);
    const started = start(web);
    await settle();
    expect(standingOf(web)).toMatchObject({ status: 'held', waitsFor: ['db'] });
    expect(reported()).toEqual([{ type: 'held', app: 'web', waitsFor: ['db'] }]);
    childOf(db)!.says('ready');
    expect(await started).toBe(true);
    expect(kindOf(web)).toBe('starting');
  });

  it('does not wait for a stopped dependency', async () => {
    resting('db');
    const web = resting('web', { dependsOn: ['db'] });
    expect(await start(web)).toBe(true);
  });

  it.each([
    ['start', (web: Group) => operations.start(everything(web), undefined, false, quiet), 'starting'],
    ['stop', (web: Group) => operations.stop(everything(web)), 'stopped'],
    ['delete', (web: Group) => operations.remove(web, 'delete'), 'stopped'],
  ] as const)('is cancelled by a command in the meantime: %s', async (_name, command, kind) => {
    const db = resting('db');
    const web = resting('web', { dependsOn: ['db'] });
    await operations.start(everything(db), undefined, false, quiet);
    const started = start(web);
    await command(web);
    expect(await started).toBe(false);
    await comesUp(db);
    expect(kindOf(web)).toBe(kind);
  });

  it('waits until all apps are known', async () => {
    begin(false);
    const web = resting('web', { dependsOn: ['db'] });
    const started = start(web);
    await settle();
    expect(reported()).toEqual([]);
    dependencies.complete();
    expect(await started).toBe(true);
  });
});
