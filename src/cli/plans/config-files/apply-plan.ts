// Compares the running apps with a config file, and plans the steps to make them match. Pure.
import { isRunning } from '../../../client/running.ts';
import type { FieldName } from '../../../config/app-spec.ts';
import { differingSettings } from '../../../config/difference.ts';
import type { ConfiguredApp } from '../../../config/file/read.ts';
import type { AppView, ProcessView } from '../../../ipc/views.ts';

export interface ApplyStep {
  /** `repair`: waits for what is starting, and replaces what is not ready. */
  action: 'start' | 'reload' | 'scale' | 'repair' | 'change' | 'remove' | 'keep';
  name: string;
  dependsOn: readonly string[];
  changes: Change[];
  /** Undefined for an app to remove. */
  app?: ConfiguredApp;
}

export interface Change {
  setting: FieldName;
  before: unknown;
  after: unknown;
}

/** Removes apps first, because they may hold the port of a new one. `isWhole` is false if `--only` selects apps. */
export function applyPlan(
  apps: readonly ConfiguredApp[],
  known: readonly AppView[],
  { file, isWhole }: { file: string | undefined; isWhole: boolean },
): ApplyStep[] {
  const wanted = new Set(apps.map(({ name }) => name));
  const isGone = ({ spec }: AppView) => isWhole && spec.configFile === file && !wanted.has(spec.name);
  const gone = file === undefined ? [] : known.filter(isGone);
  const removals = gone.map(
    ({ spec }): ApplyStep => ({ action: 'remove', name: spec.name, dependsOn: [], changes: [] }),
  );
  const knownAs = (name: string) => known.find(({ spec }) => spec.name === name);
  return [...removals, ...apps.map((app) => stepFor(app, knownAs(app.name)))];
}

function stepFor(app: ConfiguredApp, known: AppView | undefined): ApplyStep {
  const { name, dependsOn, spec } = app;
  const settings = known ? differingSettings(known.spec, spec) : [];
  const changes = settings.map((setting) => ({ setting, before: known?.spec[setting], after: spec[setting] }));
  return { action: actionFor(known, app, settings), name, dependsOn, changes, app };
}

/**
 * A finished job stays finished until its settings change, and one with a schedule runs at its time. What a person has stopped does
 * neither.
 */
function actionFor(
  known: AppView | undefined,
  { active, spec }: ConfiguredApp,
  settings: readonly FieldName[],
): ApplyStep['action'] {
  if (!known) return 'start';
  if (!known.processes.some(isRunning)) {
    const isScheduled = known.processes.every(({ scheduled }) => scheduled);
    const isDone = isScheduled || known.processes.every(({ completed, finished }) => completed && finished);
    if (active && !isDone) return 'start';
    return settings.length > 0 || (spec.cronRestart !== undefined && !isScheduled) ? 'change' : 'keep';
  }
  if (settings.some((setting) => setting !== 'instances')) return 'reload';
  if (!known.processes.every(isInOrder)) return 'repair';
  return settings.length === 0 ? 'keep' : 'scale';
}

/** The daemon judges by the same (daemon/apps/app-readiness.ts). */
function isInOrder({ status, unready, completed, scheduled }: ProcessView): boolean {
  return (status === 'online' && unready === undefined) || completed || scheduled === true;
}
