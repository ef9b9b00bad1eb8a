// Starts or updates the apps of a config, for the command line and for the API.
import { withoutDefaults } from '../config/app-spec.ts';
import type { ConfiguredApp } from '../config/file/read.ts';
import type { Client, Params, Report } from '../ipc/protocol.ts';
import type { ProcessView } from '../ipc/views.ts';
import { failure } from '../shared/errors.ts';
import { isRunning, namesOf } from './running.ts';

/** Returns a function that launches or updates one app, depending on which of these processes exist. */
export function updaterFor(
  apps: readonly ConfiguredApp[],
  client: Client,
  processes: readonly ProcessView[],
  how: Omit<Params<'update'>, 'app'>,
) {
  const [known, running] = [namesOf(processes), namesOf(processes.filter(isRunning))];
  const launch = launcherFor(apps, client, true);
  return (app: ConfiguredApp, report?: Report): Promise<ProcessView[]> => {
    const isResting = !app.active && !running.has(app.name);
    if (isResting || !known.has(app.name)) return launch(app, false, report);
    return client.update({ app: withoutDefaults(app.spec), ...how }, report);
  };
}

/** Returns a function that launches one app. Always waits for apps that others depend on. */
export function launcherFor(apps: readonly ConfiguredApp[], client: Client, wait: boolean) {
  const needed = new Set(apps.flatMap(({ dependsOn }) => dependsOn));
  return ({ spec, name, active }: ConfiguredApp, force: boolean, report?: Report): Promise<ProcessView[]> =>
    client.launch({ app: withoutDefaults(spec), wait: wait || needed.has(name), force, active }, report);
}

/** Throws ALREADY_RUNNING if any of the apps is up. `way`: the command that gives it the settings of the file. */
export function rejectRunning(apps: readonly ConfiguredApp[], processes: readonly ProcessView[], way?: string): void {
  const running = namesOf(processes.filter(isRunning));
  const taken = apps.find(({ name }) => running.has(name));
  if (taken) throw failure('ALREADY_RUNNING', { name: taken.name, ...(way !== undefined && { way }) });
}
