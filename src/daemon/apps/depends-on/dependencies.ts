// Which apps wait for which: `depends_on` holds as long as the apps run, not only when a config file is started.
import { leadsTo } from '../../../config/file/order.ts';
import type { EventBus } from '../../events.ts';
import { isStopped } from '../../process/lifecycle/classes.ts';
import { isGroupReady } from '../app-readiness.ts';
import type { Group } from '../group.ts';
import type { Registry } from '../registry.ts';
import type { Dependencies } from './hold.ts';

export interface DependenciesOptions {
  registry: Registry;
  events: EventBus;
  isComplete: boolean;
}

export function createDependencies({ registry, events, isComplete }: DependenciesOptions): Dependencies {
  const ready = new WeakSet<Group>();
  /** The apps that were told that this one is not ready any more. */
  const notified = new WeakMap<Group, Set<string>>();
  const needs = (name: string) => registry.find(name)?.spec.dependsOn ?? [];
  /** By the name of an app, those that depend on it or did before their settings changed. */
  const seekers = new Map<string, Set<Group>>();
  const dependentsOf = ({ name }: Group) =>
    [...(seekers.get(name) ?? [])].filter(({ spec }) => spec.dependsOn.includes(name));

  function isMissing(name: string, app: string, onlyMeantToRun: boolean): boolean {
    const group = registry.find(name);
    if (!group || isGroupReady(group) || (onlyMeantToRun && !isMeantToRun(group))) return false;
    return !leadsTo(name, app, needs);
  }

  function notify(group: Group, dependents: Group[], isUp: boolean): void {
    const names = notified.get(group) ?? new Set();
    notified.set(group, names);
    for (const { name, isRetired } of dependents) {
      if (isRetired || names.has(name) !== isUp) continue;
      events.emit({ type: 'dependency', app: name, on: group.name, ready: isUp });
      if (isUp) names.delete(name);
      else names.add(name);
    }
  }

  return {
    missing: ({ name, dependsOn }, onlyMeantToRun = false) => {
      if (dependsOn.length === 0) return [];
      return isComplete ? dependsOn.filter((needed) => isMissing(needed, name, onlyMeantToRun)) : undefined;
    },
    described(group: Group) {
      for (const name of group.spec.dependsOn) seekers.set(name, (seekers.get(name) ?? new Set()).add(group));
    },
    changed(group: Group) {
      const isUp = isGroupReady(group);
      if (isUp === ready.has(group)) return;
      if (isUp) ready.add(group);
      else ready.delete(group);
      const dependents = dependentsOf(group);
      notify(group, dependents, isUp);
      for (const dependent of dependents) dependent.look();
    },
    removed(group: Group) {
      for (const dependents of seekers.values()) dependents.delete(group);
      for (const dependent of dependentsOf(group)) dependent.look();
    },
    complete() {
      isComplete = true;
      for (const group of registry.groups) group.look();
    },
  };
}

/** An app that nsv gave up on, or that waits for another one, is meant to run as well. */
function isMeantToRun({ processes, intents, hold }: Group): boolean {
  return hold.isStartDue || intents.sum?.kind === 'start' || !processes.every(isStopped);
}
