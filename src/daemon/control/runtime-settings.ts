// The commands on runtime settings.
import { maskSecrets } from '../../ipc/app/runtime-settings.ts';
import type { RuntimeChange, RuntimeSettingsView } from '../../ipc/app/setting-views.ts';
import { failure } from '../../shared/errors.ts';
import type { Group } from '../apps/group.ts';
import type { Selection } from '../apps/operations.ts';

export function viewSettings({ name, inApp, all }: Group, secrets = false): RuntimeSettingsView {
  const { version, values, file = null } = inApp.settings.held;
  const processes = all.flatMap(({ id, slot, child }) =>
    child?.plan.spec.node ? [{ id, slot, pid: child.pid, version: inApp.settings.versionOf(child) }] : [],
  );
  return { name, version, values: secrets ? values : maskSecrets(values), file, problem: inApp.problem, processes };
}

/** Each app for itself; throws the first failure when every app has settled. */
export async function changeSettings(
  selections: readonly Selection[],
  change: RuntimeChange,
): Promise<RuntimeSettingsView[]> {
  const groups = selections.map(({ group }) => group);
  for (const { name, spec } of groups) if (!spec.node) throw unsupported(name);
  const results = await Promise.allSettled(groups.map(({ inApp }) => inApp.change(change)));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return groups.map((group) => viewSettings(group));
}

function unsupported(name: string): Error {
  const reason =
    'only Node programs can receive settings while they run; use environment variables, and restart the app';
  return failure('UNSUPPORTED', { what: `"nsv config" on "${name}"`, reason });
}
