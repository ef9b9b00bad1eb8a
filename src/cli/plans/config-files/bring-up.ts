// Starts, restarts and reloads the apps of a config file.

import { launcherFor, rejectRunning, updaterFor } from '../../../client/bring-up.ts';
import { isUp, namesOf } from '../../../client/running.ts';
import type { AppSpec } from '../../../config/app-spec.ts';
import type { Settings } from '../../args/settings.ts';
import type { Context, Input } from '../../command.ts';
import { printProcesses } from '../../print.ts';
import { tellRestarted } from '../restarted.ts';
import { chosenApps, type Invocation } from './chosen.ts';
import { inTurn } from './in-turn.ts';

/** Starts all apps of the file; starts none if one of them is running, unless `--force` is given. */
export async function startConfig(context: Context, word: string, input: Input, more: Settings): Promise<void> {
  const apps = await chosenApps(context, word, input, { more });
  const client = await context.connect({ launch: true });
  const force = input.options.force === true;
  if (!force) rejectRunning(apps, await client.list({ targets: [] }));
  const launch = launcherFor(apps, client, input.options.wait !== false);
  await printProcesses(context.out, await inTurn(apps, context.out, (app) => launch(app, force)));
}

/** Applies the settings of the file to known apps by a restart or a reload, and starts the others. */
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
  const running = namesOf(processes.filter(isUp));
  const renewed = updated.filter(({ name }) => running.has(name));
  await tellRestarted(context.out, client, renewed);
}

/** The apps for `nsv run`. Apps with `autostart: false` are left out: they would never end. */
export async function runnableApps(place: Invocation, word: string, input: Input, more: Settings): Promise<AppSpec[]> {
  const apps = await chosenApps(place, word, input, { more, defaults: { stopExitCodes: [0] } });
  return apps.filter(({ active }) => active).map(({ spec }) => spec);
}
