// start, restart and reload of a config file.
import { type AppSpec, withoutDefaults } from '../../../config/app-spec.ts';
import type { ConfiguredApp } from '../../../config/file/read.ts';
import type { Client, Params } from '../../../ipc/protocol.ts';
import type { ProcessView } from '../../../ipc/views.ts';
import { failure } from '../../../shared/errors.ts';
import type { Settings } from '../../args/settings.ts';
import type { Context, Input } from '../../command.ts';
import { printProcesses } from '../../print.ts';
import { tellRestarted } from '../restarted.ts';
import { isRunning, namesOf } from '../running.ts';
import { chosenApps, type Place } from './chosen.ts';
import { inTurn } from './in-turn.ts';

/** Starts all apps of the file; nothing when one of them runs already, but for `--force`. */
export async function startConfig(context: Context, word: string, input: Input, more: Settings): Promise<void> {
  const apps = await chosenApps(context, word, input, { more });
  const client = await context.connect({ launch: true });
  const force = input.options.force === true;
  if (!force) rejectRunning(apps, await client.list({ targets: [] }));
  const launch = launcherFor(apps, client, input.options.wait !== false);
  await printProcesses(context.out, await inTurn(apps, context.out, (app) => launch(app, force)));
}

/** Gives apps that are known the settings of the file, by a restart or a reload, and starts the others. */
export async function updateConfig(
  context: Context,
  word: string,
  input: Input,
  how: 'restart' | 'reload',
  parallel = 1,
): Promise<void> {
  const apps = await chosenApps(context, word, input);
  const client = await context.connect({ launch: true });
  const processes = await client.list({ targets: [] });
  const update = updaterFor(apps, client, processes, { how, parallel, renewEnv: input.options.updateEnv === true });
  const updated = await inTurn(apps, context.out, update);
  await printProcesses(context.out, updated);
  if (how === 'restart') return;
  const running = namesOf(processes.filter(isRunning));
  const renewed = updated.filter(({ name }) => running.has(name));
  await tellRestarted(context.out, client, renewed);
}

/** What becomes of each app, where these processes are there. */
export function updaterFor(
  apps: readonly ConfiguredApp[],
  client: Client,
  processes: readonly ProcessView[],
  wish: Omit<Params<'update'>, 'app'>,
) {
  const [known, running] = [namesOf(processes), namesOf(processes.filter(isRunning))];
  const launch = launcherFor(apps, client, true);
  return (app: ConfiguredApp): Promise<ProcessView[]> => {
    const isResting = !app.active && !running.has(app.name);
    if (isResting || !known.has(app.name)) return launch(app, false);
    return client.update({ app: withoutDefaults(app.spec), ...wish });
  };
}

/** What `nsv run` runs: apps that do not start by themselves would never end, so they are left out. */
export async function runnableApps(place: Place, word: string, input: Input, more: Settings): Promise<AppSpec[]> {
  const apps = await chosenApps(place, word, input, { more, defaults: { stopExitCodes: [0] } });
  return apps.filter(({ active }) => active).map(({ spec }) => spec);
}

/** An app that others depend on is waited for in any case. */
export function launcherFor(apps: readonly ConfiguredApp[], client: Client, wait: boolean) {
  const needed = new Set(apps.flatMap(({ dependsOn }) => dependsOn));
  return ({ spec, name, active }: ConfiguredApp, force: boolean): Promise<ProcessView[]> =>
    client.launch({ app: withoutDefaults(spec), wait: wait || needed.has(name), force, active });
}

/** Throws ALREADY_RUNNING. */
export function rejectRunning(apps: readonly ConfiguredApp[], processes: readonly ProcessView[]): void {
  const running = namesOf(processes.filter(isRunning));
  const taken = apps.find(({ name }) => running.has(name));
  if (taken) throw failure('ALREADY_RUNNING', { name: taken.name });
}
