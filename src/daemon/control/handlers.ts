// The handlers of the protocol: one short function per method.
import { mostInstances } from '../../config/instances.ts';
import { jointProgress } from '../../ipc/joint-progress.ts';
import type { Follow, Handlers, Params, Report } from '../../ipc/protocol.ts';
import { shareEnvironments } from '../../ipc/records/described-apps.ts';
import type { DaemonView, HealthView, ProcessView, UpgradeView } from '../../ipc/views.ts';
import type { Sampler } from '../../os/sampler.ts';
import type { Clock } from '../../shared/clock.ts';
import { failure } from '../../shared/errors.ts';
import type { HomePaths } from '../../shared/paths.ts';
import { settled } from '../../shared/promises.ts';
import type { Group } from '../apps/group.ts';
import type { ManagedApps } from '../apps/managed-apps.ts';
import type { Selection } from '../apps/operations.ts';
import * as operations from '../apps/operations.ts';
import { everything, type Registry } from '../apps/registry.ts';
import type { Deaths } from '../deaths/deaths.ts';
import type { EventBus } from '../events.ts';
import type { Queues } from '../in-app/queues.ts';
import type { LogRotation } from '../rotation/rotation.ts';
import { readSavedList } from '../state/saved-list.ts';
import type { Saving } from '../state/saving.ts';
import * as actions from './actions.ts';
import { resurrect } from './resurrect.ts';
import { problemsOf, viewApp, viewDeaths, viewLogFiles, viewProcesses, viewSettings } from './view.ts';

export interface HandlerDeps {
  registry: Registry;
  managed: ManagedApps;
  clock: Clock;
  events: EventBus;
  paths: HomePaths;
  sampler: Sampler;
  rotation: LogRotation;
  deaths: Pick<Deaths, 'of'>;
  queues: Pick<Queues, 'view'>;
  saving: Saving;
  follow: Follow;
  inspect: Handlers['inspect'];
  about(): DaemonView;
  health(): HealthView;
  /** Stops and removes all apps; leaves the saved list unchanged. */
  removeAll(by: string, report?: Report): Promise<void>;
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
  const { registry, managed, rotation, saving } = deps;
  const views = (selections: Selection[]) => viewProcesses(selections, deps);

  /** For a command that is to have an effect: it must not succeed without any. Throws NO_SUCH_APP, also for "all" if there are no apps. */
  function some(words: string[]): Selection[] {
    const selections = registry.select(words);
    if (selections.length === 0) throw failure('NO_SUCH_APP', { target: words.join(' ') });
    return selections;
  }

  /**
   * Runs on all these apps at the same time; throws the first failure when every app has settled. `done`: what the apps are then,
   * for `report`, which receives how many are.
   */
  async function each(
    selections: Selection[],
    run: (selection: Selection, report: Report) => Promise<void> | void,
    done = 'done',
    report: Report = () => {},
  ): Promise<ProcessView[]> {
    const track = jointProgress(selections.length, done, report);
    await settled(selections.map((selection) => track(selection.group.name, async (own) => run(selection, own))));
    return views(selections);
  }

  /** Tells which of the apps are gone afterwards. */
  async function forgetting<T>(names: string[], work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      for (const name of names) if (!registry.find(name)) deps.forgot(name);
    }
  }

  return {
    ping: deps.about,
    health: deps.health,
    list: ({ targets }) => views(registry.select(targets)),
    describe: async ({ targets }) => {
      const selections = targets.length === 0 ? registry.select([]) : some(targets);
      rotation.look(selections.map(({ group }) => group));
      const apps = selections.map(async (selection) => {
        const { group } = selection;
        return viewApp(group, await views([selection]), problemsOf(group, rotation));
      });
      return shareEnvironments(await Promise.all(apps));
    },
    logs({ targets }) {
      const selections = registry.select(targets);
      rotation.look(selections.map(({ group }) => group));
      return selections.flatMap((selection) => {
        const problems = rotation.problemsOf(selection.group);
        const views = operations.processesOf(selection).map((process) => viewLogFiles(selection.group, process));
        return problems.length > 0 ? views.map((view) => ({ ...view, problems })) : views;
      });
    },
    deaths: ({ targets, ...what }) => viewDeaths(registry.select(targets), deps.deaths, what),
    rotateLogs: ({ targets }) => rotation.rotateLogs(registry.select(targets)),
    reopenLogs: ({ targets }) => rotation.reopenLogs(registry.select(targets)),
    launch: ({ app, ...how }, report) =>
      forgetting([app.name], async () => views([everything(await managed.launch(app, how, report))])),
    start: ({ targets, env, wait }, report) => {
      const selections = some(targets);
      rejectRunning(selections);
      return each(selections, (selection, own) => operations.start(selection, env, wait, own), 'ready', report);
    },
    stop: ({ targets }, report) =>
      each(
        registry.select(targets),
        (selection, own) => {
          managed.notResurrected.delete(selection.group);
          return operations.stop(selection, own);
        },
        'stopped',
        report,
      ),
    restart: ({ targets, env }, report) =>
      each(some(targets), (selection, own) => operations.restart(selection, env, own), 'ready', report),
    reload: ({ targets, ...renewal }, report) =>
      each(some(targets), (selection, own) => operations.reload(selection, renewal, own), 'ready', report),
    update: async ({ app, target = app.name, renewEnv, ...how }, report) => {
      const group = registry.find(target);
      if (!group) throw failure('NO_SUCH_APP', { target });
      const { env } = renewEnv ? app : group.spec;
      const update = { app: { ...app, env }, ...how };
      return forgetting([target], async () => views([everything(await managed.update(group, update, report))]));
    },
    delete: async ({ targets }, report) => {
      const selected = registry.select(targets);
      expectWhole(selected);
      const names = selected.map(({ group }) => group.name);
      const remove = async ({ group }: Selection, own: Report) => {
        await managed.remove(group, 'delete', undefined, own);
        saving.flush();
      };
      return forgetting(names, () => each(selected, remove, 'stopped', report));
    },
    scale: async ({ targets, instances }, report) => {
      const groups = some(targets).map(({ group }) => group);
      const counts = groups.map((group) => ({ group, count: wantedCount(group, instances) }));
      await Promise.all(counts.map(({ group, count }) => operations.scale(group, count, report)));
      return views(groups.map(everything));
    },
    signal: ({ targets, signal }) => {
      const selections = some(targets);
      if (!selections.some(runsPartly)) throw failure('NO_PROCESS', { signal, target: targets.join(' ') });
      return each(selections, (selection) => operations.signal(selection, signal));
    },
    send: ({ targets, text }) => each(some(targets), (selection) => actions.send(selection, text)),
    message: ({ targets, ...message }) => each(some(targets), (selection) => actions.message(selection, message)),
    trigger: async ({ targets, ...action }) => {
      const replies = some(targets).map((selection) => actions.trigger(selection, action, deps));
      return (await Promise.all(replies)).flat();
    },
    follow: deps.follow,
    inspect: deps.inspect,
    runtimeSettings: ({ targets, secrets }) =>
      registry.select(targets).map(({ group }) => viewSettings(group, secrets)),
    changeRuntimeSettings: ({ targets, ...change }) => actions.changeSettings(registry.select(targets), change),
    queues: () => deps.queues.view(),
    reset: ({ targets }) => each(registry.select(targets), (selection) => operations.reset(selection)),
    save: (how) => saving.save(how),
    resurrect: async (_params, report) => {
      const { apps, problems, fallback } = readSavedList(deps.paths.saved);
      if (fallback !== undefined) {
        report(fallback, true);
        // Whether changes are saved is in the list, too.
        saving.begin();
      }
      const names = apps.map(({ spec }) => spec.name);
      await forgetting(names, () => resurrect(apps, deps, report));
      if (problems.length > 0) throw failure('SAVED_APPS_SET_ASIDE', { problems });
      return views(registry.select([]));
    },
    upgrade: deps.upgrade,
    kill: async (_params, report) => {
      const stopped = registry.groups.flatMap(({ processes }) => processes.filter(({ child }) => child)).length;
      await deps.removeAll('kill', report);
      deps.end();
      return { pid: process.pid, stopped };
    },
  };
}

function runsPartly(selection: Selection): boolean {
  return operations.processesOf(selection).some(({ child }) => child);
}

/** Throws ALREADY_RUNNING if all selected processes are running. */
function rejectRunning(selections: Selection[]): void {
  const isIdle = (selection: Selection) => operations.processesOf(selection).some(({ child }) => !child);
  const [first] = selections;
  if (first && !selections.some(isIdle)) throw failure('ALREADY_RUNNING', { name: first.group.name });
}

/** An id of one of four instances must not delete the other three. */
function expectWhole(selected: readonly Selection[]): void {
  for (const { group, slots } of selected) {
    const [chosen, instances] = [slots.length, group.processes.length];
    if (chosen < instances) throw failure('PART_OF_AN_APP', { name: group.name, chosen, instances });
  }
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
