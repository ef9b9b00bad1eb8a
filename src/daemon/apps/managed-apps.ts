// The managed apps, each with the triggers that restart it from outside, until it is forgotten.
import type { AppSpec } from '../../config/app-spec.ts';
import { differingForGood } from '../../config/difference.ts';
import type { Params, Report } from '../../ipc/protocol.ts';
import { failure, isFailure } from '../../shared/errors.ts';
import { commandKinds } from '../problems.ts';
import { isGivenUp } from '../process/lifecycle/classes.ts';
import type { Successor } from '../process/record.ts';
import type { Dependencies } from './depends-on/hold.ts';
import type { Group } from './group.ts';
import * as operations from './operations.ts';
import { everything, type Registry } from './registry.ts';

export interface ManagedAppsDeps {
  registry: Registry;
  dependencies: Dependencies;
  createGroup(spec: AppSpec): Group;
  /** Resolves with a function that detaches the triggers. Rejects with BAD_OPTION. */
  attachTriggers(group: Group): Promise<() => void>;
}

type Update = Pick<Params<'update'>, 'app' | 'how' | 'parallel'>;

/** What is saved of an app, besides its settings. */
export function stateToSave({ inApp, processes }: Group): Omit<Successor, 'spec' | 'active'> {
  return { ...inApp.record(), ...(processes.every(({ isLeftAlone }) => isLeftAlone) && { isLeftAlone: true }) };
}

export class ManagedApps {
  /** Apps that ran before the last reboot and have not been started again. */
  readonly notResurrected = new Set<Group>();
  readonly #deps: ManagedAppsDeps;
  readonly #detach = new Map<Group, () => void>();

  constructor(deps: ManagedAppsDeps) {
    this.#deps = deps;
  }

  /** Attaches the triggers of the app's current settings, then detaches the old ones. Rejects with BAD_OPTION. */
  async attach(group: Group): Promise<void> {
    const detach = await this.#deps.attachTriggers(group);
    // Whoever has changed the settings has taken note.
    group.problems.clear(...commandKinds);
    if (group.isRetired) return detach();
    this.#detach.get(group)?.();
    this.#detach.set(group, detach);
    group.inApp.begin();
  }

  /** False if no command has attached the triggers yet, or the app is gone. */
  isAttached(group: Group): boolean {
    return this.#detach.has(group);
  }

  /** Whether the app runs, or a command is about to start it. */
  isInUse(group: Group): boolean {
    if (group.isActive || group.hold.isStartDue) return true;
    return !group.isRetired && (!this.isAttached(group) || group.queue.current !== undefined);
  }

  /** Whether the next boot starts it. An app that nsv gave up on gets another chance then. */
  isToRun(group: Group): boolean {
    return this.isInUse(group) || this.notResurrected.has(group) || group.processes.some(isGivenUp);
  }

  /** Adds the app of these settings, without starting it. */
  introduce({ spec, runtimeSettings, isLeftAlone = false }: Successor): Group {
    const group = this.#deps.createGroup(spec);
    for (const process of group.processes) process.isLeftAlone = isLeftAlone;
    group.inApp.settings.inherit(runtimeSettings);
    this.#deps.registry.add(group);
    return group;
  }

  /** Adds an app, and starts it if it is to be active. `force`: instead of one of the same name. */
  async launch(spec: AppSpec, how: Omit<Params<'launch'>, 'app'>, report: Report): Promise<Group> {
    const group = await this.#replace({ spec, active: how.active }, how.force, report);
    await this.#bringUp(group, how, report);
    return group;
  }

  /** Gives an app other settings, and perhaps another name. Throws CANNOT_RENAME. */
  async update(group: Group, update: Update, report: Report): Promise<Group> {
    const { app } = update;
    if (group.name !== app.name) this.#expectFree(app.name, group.name);
    if (differingForGood(group.spec, app).length > 0) {
      const kept = { spec: app, active: true, ...group.inApp.record() };
      if (group.name !== app.name) await this.remove(group, 'update', kept, report);
      const successor = await this.#replace(kept, true, report);
      await this.#bringUp(successor, { active: true, wait: true }, report);
      return successor;
    }
    try {
      await updateInPlace(group, update, report);
    } finally {
      // An app that does not become ready has the new settings, too.
      await this.attach(group);
    }
    return group;
  }

  /** Stops the app and forgets it. `successor`: the app that takes its place. */
  async remove(group: Group, by: string, successor?: Successor, report?: Report): Promise<void> {
    await operations.remove(group, by, successor, report);
    this.#detach.get(group)?.();
    this.#detach.delete(group);
    group.inApp.close();
    group.problems.clear();
    this.#deps.registry.remove(group);
    this.#deps.dependencies.removed(group);
  }

  /** Awaits nothing between the last lookup of the name and its use: another command may want the name too. */
  async #replace(successor: Successor, force: boolean, report: Report): Promise<Group> {
    const { registry } = this.#deps;
    const { name } = successor.spec;
    let kept = successor;
    for (let group = registry.find(name); group; group = registry.find(name)) {
      if (this.isInUse(group) && !force) throw failure('ALREADY_RUNNING', { name });
      kept = { ...kept, ...group.inApp.record() };
      await this.remove(group, 'start --force', kept, report);
    }
    return this.introduce(kept);
  }

  async #bringUp(group: Group, { active, wait }: { active: boolean; wait: boolean }, report: Report): Promise<void> {
    try {
      await this.attach(group);
      if (active) await operations.launch(group, wait, report);
    } catch (error) {
      // An app that is partly ready stays, so that the user can look at it; one that could not even begin is removed.
      if (!isFailure(error, 'NOT_READY', 'INTERRUPTED')) await this.remove(group, 'start');
      throw error;
    }
  }

  #expectFree(name: string, present: string): void {
    const { registry } = this.#deps;
    const dependent = registry.groups.find(({ spec }) => spec.dependsOn.includes(present));
    if (dependent)
      throw failure('CANNOT_RENAME', { name: present, detail: `"${dependent.name}" depends on it by this name` });
    if (registry.find(name))
      throw failure('CANNOT_RENAME', { name: present, detail: `there is another app "${name}"` });
  }
}

/** Replaces the processes by restart or reload as asked for, then adjusts the number of instances. */
export async function updateInPlace(group: Group, { app, how, parallel }: Update, report: Report): Promise<void> {
  const { instances, ...settings } = app;
  if (how === 'reload') await operations.reload(everything(group), { settings, parallel }, report);
  else await operations.restart(everything(group), undefined, report, settings);
  if (instances !== group.spec.instances) await operations.scale(group, instances, report);
}
