// `nsv resurrect`, also at boot: starts the saved apps, each as soon as those that it depends on are ready.
import { inOrder, leadsTo } from '../../config/file/order.ts';
import { jointProgress } from '../../ipc/joint-progress.ts';
import type { Report } from '../../ipc/protocol.ts';
import type { Group } from '../apps/group.ts';
import type { ManagedApps } from '../apps/managed-apps.ts';
import * as operations from '../apps/operations.ts';
import { everything, type Registry } from '../apps/registry.ts';
import type { SavedApp } from '../state/saved-list.ts';

export interface ResurrectionDeps {
  registry: Registry;
  managed: ManagedApps;
  /** Called if an app cannot be started for which the command has not waited. */
  failed(group: Group, error: unknown): void;
}

interface Begun {
  name: string;
  dependsOn: readonly string[];
  /** Brings it up. */
  work?: (report: Report) => Promise<void>;
}

/**
 * Throws the first failure when every app has settled. It does not wait for an app whose dependencies have failed: that one
 * stays held, and starts when they are ready after all.
 */
export async function resurrect(saved: readonly SavedApp[], deps: ResurrectionDeps, report: Report): Promise<void> {
  // All are known before the first one starts, so the list keeps the order of the file.
  const begun = saved.map((app) => begin(app, deps));
  const track = jointProgress(begun.filter(({ work }) => work).length, 'ready', report);
  const working = new Map(begun.map(({ name, work }) => [name, work && track(name, work)]));
  for (const work of working.values()) work?.catch(() => {});
  const fates = await inOrder(withoutCycles(begun), async ({ name }) => working.get(name));
  for (const [index, fate] of fates.entries()) {
    const { name } = begun[index]!;
    const group = deps.registry.find(name);
    if ('skipped' in fate && group) working.get(name)?.catch((error) => deps.failed(group, error));
  }
  for (const fate of fates) if ('failed' in fate) throw fate.failed;
}

function begin(saved: SavedApp, { registry, managed }: ResurrectionDeps): Begun {
  const { spec, active } = saved;
  const { notResurrected } = managed;
  const { name, dependsOn } = spec;
  const known = registry.find(name);
  if (known && (!notResurrected.has(known) || managed.isInUse(known))) return { name, dependsOn };
  const group = known ?? managed.introduce(saved);
  notResurrected.delete(group);
  if (!active) return { name, dependsOn, ...(!known && { work: () => managed.attach(group) }) };
  // An app that does not come up is resurrected later: it may lack something that the boot has not brought up yet.
  notResurrected.add(group);
  // If the daemon dies before it gets to this app, the next one starts it.
  const done = group.intents.add({ kind: 'start', slots: everything(group).slots });
  return { name, dependsOn, work: (report) => resurrectApp(group, report, managed).finally(done) };
}

async function resurrectApp(group: Group, report: Report, managed: ManagedApps): Promise<void> {
  try {
    if (!managed.isAttached(group)) await managed.attach(group);
    if (await group.hold.mayStart()) await operations.launch(group, true, report);
  } finally {
    if (group.isActive) managed.notResurrected.delete(group);
  }
}

/** Apps that depend on each other do not wait for each other. A list may have come from several config files. */
function withoutCycles(apps: readonly Begun[]): Begun[] {
  const byName = new Map(apps.map((app) => [app.name, app]));
  const needs = (name: string) => byName.get(name)?.dependsOn ?? [];
  return apps.map((app) => ({ ...app, dependsOn: app.dependsOn.filter((name) => !leadsTo(name, app.name, needs)) }));
}
