// The handlers of the protocol: one short function per method.
import type { AppSpec } from '../../config/app-spec.ts';
import { differingForGood } from '../../config/difference.ts';
import { mostInstances } from '../../config/options/fields.ts';
import type { Follow, Handlers, Params, Report } from '../../ipc/protocol.ts';
import type { DaemonView, HealthView, ProcessView, RotatedView, UpgradeView } from '../../ipc/views.ts';
import type { Usage } from '../../os/sampler.ts';
import type { Identity } from '../../os/tree.ts';
import type { Clock } from '../../shared/clock.ts';
import { failure, isFailure } from '../../shared/errors.ts';
import type { HomePaths } from '../../shared/paths.ts';
import type { Group } from '../apps/group.ts';
import type { ManagedApps } from '../apps/managed-apps.ts';
import type { Selection } from '../apps/operations.ts';
import * as operations from '../apps/operations.ts';
import { everything, type Registry } from '../apps/registry.ts';
import { type Update, update as updateGroup } from '../apps/update.ts';
import type { Deaths } from '../deaths/deaths.ts';
import type { EventBus } from '../events.ts';
import type { Queues } from '../in-app/queues.ts';
import type { Successor } from '../process/record.ts';
import { readSavedList } from '../state/saved-list.ts';
import type { Saving } from '../state/saving.ts';
import * as actions from './actions.ts';
import { deathsOf } from './remembering.ts';
import { createResurrection } from './resurrect.ts';
import { changeSettings, viewSettings } from './runtime-settings.ts';
import { viewApp, viewLogFiles, viewProcess } from './view.ts';

export interface HandlerDeps {
  registry: Registry;
  clock: Clock;
  events: EventBus;
  paths: HomePaths;
  about(): DaemonView;
  health(): HealthView;
  /** Throws UNSUPPORTED for settings that this machine cannot serve. */
  createGroup(spec: AppSpec): Group;
  /** Rejects with CANNOT_ROTATE. */
  rotateLogs(selections: Selection[]): Promise<RotatedView[]>;
  /** Rejects with CANNOT_REOPEN. */
  reopenLogs(selections: Selection[]): Promise<RotatedView[]>;
  /** The current problems with the log files of an app. */
  logTroubles(group: Group): string[];
  deaths: Pick<Deaths, 'of'>;
  queues: Pick<Queues, 'view'>;
  follow: Follow;
  inspect: Handlers['inspect'];
  managed: ManagedApps;
  saving: Saving;
  /** Stops and removes all apps; leaves the saved list unchanged. */
  removeAll(by: string, report?: Report): Promise<void>;
  /** Apps that ran before the last reboot and have not been started again. */
  asleep: Set<Group>;
  sample(roots: Identity[]): Promise<Map<number, Usage>>;
  /** Called if an app that no client waits for cannot be started. */
  failed(group: Group, error: unknown): void;
  /** Emits, once the reply is out, that an app was removed. */
  forgot(name: string): void;
  /** Resolves when another daemon replaces this one, which exits once the reply is out. Rejects with CANNOT_UPDATE. */
  upgrade(program: Params<'upgrade'>, report: Report): Promise<UpgradeView>;
  /** Ends the daemon once the reply is out. */
  end(): void;
}

export function createHandlers(deps: HandlerDeps): Handlers {
  const { registry, clock, paths, managed, asleep, failed } = deps;
  const resurrect = createResurrection({ registry, managed, asleep, introduce, failed });

  async function views(selections: Selection[]): Promise<ProcessView[]> {
    const chosen = selections.flatMap((selection) =>
      operations.processesOf(selection).map((process) => ({ group: selection.group, process })),
    );
    const usage = await deps.sample(chosen.flatMap(({ process }) => process.child ?? []));
    const now = clock.now();
    return chosen.map(({ group, process }) => viewProcess(group, process, usage.get(process.child?.pid ?? -1), now));
  }

  /** Runs on all selected apps at the same time; throws the first failure when every app has settled. */
  async function each(words: string[], run: (selection: Selection) => Promise<void> | void): Promise<ProcessView[]> {
    const selections = registry.select(words);
    const results = await Promise.allSettled(selections.map(async (selection) => run(selection)));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    return views(selections);
  }

  function tellForgotten(names: string[]): void {
    for (const name of names) if (!registry.find(name)) deps.forgot(name);
  }

  /** Awaits nothing between the last lookup of the name and its use: another command may want the name too. */
  async function replace(successor: Successor, force: boolean, report: Report): Promise<Group> {
    const { spec } = successor;
    const { name } = spec;
    let kept = successor;
    for (let group = registry.find(name); group; group = registry.find(name)) {
      if (managed.isInUse(group) && !force) throw failure('ALREADY_RUNNING', { name });
      kept = { ...kept, ...group.inApp.record() };
      await managed.remove(group, 'start --force', kept, report);
    }
    return introduce(kept);
  }

  function introduce({ spec, runtimeSettings }: Successor): Group {
    const group = deps.createGroup(spec);
    group.inApp.settings.inherit(runtimeSettings);
    registry.add(group);
    return group;
  }

  async function bringUp(group: Group, { active, wait }: { active: boolean; wait: boolean }, report: Report) {
    try {
      await managed.attach(group);
      if (active) await operations.launch(group, wait, report);
    } catch (error) {
      // An app that is partly ready stays, so that the user can look at it; one that could not even begin is removed.
      if (!isVerdictOnApp(error)) await managed.remove(group, 'start');
      throw error;
    }
  }

  async function update(group: Group, { app, ...how }: Update, report: Report): Promise<Group> {
    if (differingForGood(group.spec, app).length > 0) {
      const kept = { spec: app, active: true, ...group.inApp.record() };
      if (group.name !== app.name) await managed.remove(group, 'update', kept, report);
      const successor = await replace(kept, true, report);
      await bringUp(successor, { active: true, wait: true }, report);
      return successor;
    }
    try {
      await updateGroup(group, { app, ...how }, report);
    } finally {
      // An app that does not become ready has the new settings, too.
      await managed.attach(group);
    }
    return group;
  }

  /** Throws CANNOT_RENAME. */
  function expectFree(name: string, present: string): void {
    const dependent = registry.groups.find(({ spec }) => spec.dependsOn.includes(present));
    if (dependent)
      throw failure('CANNOT_RENAME', { name: present, detail: `"${dependent.name}" depends on it by this name` });
    if (registry.find(name))
      throw failure('CANNOT_RENAME', { name: present, detail: `there is another app "${name}"` });
  }

  /** Throws ALREADY_RUNNING if all selected processes are running. */
  function rejectRunning(selections: Selection[]): void {
    const isIdle = (selection: Selection) => operations.processesOf(selection).some(({ child }) => !child);
    const [first] = selections;
    if (first && !selections.some(isIdle)) throw failure('ALREADY_RUNNING', { name: first.group.name });
  }

  return {
    ping: () => deps.about(),
    health: () => deps.health(),
    list: ({ targets }) => views(registry.select(targets)),
    describe: async ({ targets }) => {
      const selections = registry.select(targets);
      return Promise.all(
        selections.map(async (selection) =>
          viewApp(selection.group, await views([selection]), deps.logTroubles(selection.group)),
        ),
      );
    },
    logs: ({ targets }) =>
      registry
        .select(targets)
        .flatMap((selection) =>
          operations.processesOf(selection).map((process) => viewLogFiles(selection.group, process)),
        ),
    deaths: ({ targets, ...what }) => deathsOf(registry.select(targets), deps.deaths, what),
    rotateLogs: ({ targets }) => deps.rotateLogs(registry.select(targets)),
    reopenLogs: ({ targets }) => deps.reopenLogs(registry.select(targets)),
    launch: async ({ app, force, ...how }, report) => {
      try {
        const group = await replace({ spec: app, active: how.active }, force, report);
        await bringUp(group, how, report);
        return views([everything(group)]);
      } finally {
        tellForgotten([app.name]);
      }
    },
    start: ({ targets, env, wait }, report) => {
      rejectRunning(registry.select(targets));
      return each(targets, (selection) => operations.start(selection, env, wait, report));
    },
    stop: ({ targets }, report) =>
      each(targets, (selection) => {
        asleep.delete(selection.group);
        return operations.stop(selection, report);
      }),
    restart: ({ targets, env }, report) => each(targets, (selection) => operations.restart(selection, env, report)),
    reload: ({ targets, ...renewal }, report) =>
      each(targets, (selection) => operations.reload(selection, renewal, report)),
    update: async ({ app, target = app.name, renewEnv, ...how }, report) => {
      const group = registry.find(target);
      if (!group) throw failure('NO_SUCH_APP', { target });
      if (target !== app.name) expectFree(app.name, target);
      const { env } = renewEnv ? app : group.spec;
      try {
        return views([everything(await update(group, { app: { ...app, env }, ...how }, report))]);
      } finally {
        tellForgotten([target]);
      }
    },
    delete: async ({ targets }, report) => {
      const selected = registry.select(targets);
      expectWhole(selected);
      const names = selected.map(({ group }) => group.name);
      try {
        return await each(targets, async ({ group }) => {
          await managed.remove(group, 'delete', undefined, report);
          deps.saving.flush();
        });
      } finally {
        tellForgotten(names);
      }
    },
    scale: async ({ targets, instances }, report) => {
      const groups = registry.select(targets).map(({ group }) => group);
      const counts = groups.map((group) => ({ group, count: wantedCount(group, instances) }));
      await Promise.all(counts.map(({ group, count }) => operations.scale(group, count, report)));
      return views(groups.map(everything));
    },
    signal: ({ targets, signal }) => each(targets, (selection) => operations.signal(selection, signal)),
    send: ({ targets, text }) => each(targets, (selection) => actions.send(selection, text)),
    trigger: async ({ targets, ...action }) => {
      const replies = registry.select(targets).map((selection) => actions.trigger(selection, action, deps));
      return (await Promise.all(replies)).flat();
    },
    follow: deps.follow,
    inspect: deps.inspect,
    runtimeSettings: ({ targets, secrets }) =>
      registry.select(targets).map(({ group }) => viewSettings(group, secrets)),
    changeRuntimeSettings: ({ targets, ...change }) => changeSettings(registry.select(targets), change),
    queues: () => deps.queues.view(),
    reset: ({ targets }) => each(targets, (selection) => operations.reset(selection)),
    save: (how) => deps.saving.save(how),
    resurrect: async (_params, report) => {
      const { apps: saved, problems, fallback } = readSavedList(paths.saved);
      if (fallback !== undefined) {
        report(fallback, true);
        // Whether changes are saved is in the list, too.
        deps.saving.begin();
      }
      await resurrect(saved, report).finally(() => tellForgotten(saved.map(({ spec }) => spec.name)));
      if (problems.length > 0) throw failure('SAVED_APPS_SET_ASIDE', { problems });
      return views(registry.select([]));
    },
    upgrade: deps.upgrade,
    kill: async (_params, report) => {
      const { groups } = registry;
      const stopped = groups.reduce((sum, { processes }) => sum + processes.filter(({ child }) => child).length, 0);
      await deps.removeAll('kill', report);
      deps.end();
      return { pid: process.pid, stopped };
    },
  };
}

/** An id of one of four instances must not delete the other three. */
function expectWhole(selected: readonly Selection[]): void {
  for (const { group, slots } of selected) {
    const [chosen, instances] = [slots.length, group.processes.length];
    if (chosen < instances) throw failure('PART_OF_AN_APP', { name: group.name, chosen, instances });
  }
}

/** The app did start, and the error is about how it behaved: it stays in the list. */
function isVerdictOnApp(error: unknown): boolean {
  return isFailure(error, 'NOT_READY', 'INTERRUPTED');
}

function wantedCount({ spec }: Group, wanted: number | string): number {
  const { name, instances } = spec;
  const count = typeof wanted === 'number' ? wanted : instances + Number(wanted);
  if (count >= 1 && count <= mostInstances) return count;
  const detail =
    typeof wanted === 'number' ? `"${name}" cannot be scaled to ${wanted}` : `"${name}" cannot be scaled by ${wanted}`;
  const why = `it has ${instances}, and 1 to ${mostInstances} are allowed; use "nsv stop" or "nsv delete" to stop the app`;
  throw failure('BAD_USAGE', { detail: `${detail}: ${why}` });
}
