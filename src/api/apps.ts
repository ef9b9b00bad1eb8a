// Starts and updates apps that a program describes: the same keys and checks as in a config file.
import { resolve } from 'node:path';
import type { AppConfig, Config } from '../../config/index.cjs';
import { launcherFor, rejectRunning, updaterFor } from '../client/bring-up.ts';
import { isConfigFile } from '../config/config-file.ts';
import { Mistakes } from '../config/file/mistakes.ts';
import { inOrder } from '../config/file/order.ts';
import { type ConfiguredApp, declareConfig, readConfig, resolveConfig } from '../config/file/read.ts';
import { resolveProgram } from '../config/resolve.ts';
import type { Client } from '../ipc/protocol.ts';
import type { ProcessView } from '../ipc/views.ts';
import { isFile, type SearchPlace } from '../os/programs.ts';
import { failure, isFailure } from '../shared/errors.ts';
import type { ReloadOptions, StartOptions, UpdateOptions } from './nsv.ts';

export interface ApiDeps {
  client: Client;
  at: SearchPlace;
}

/** As for `nsv start`, a string is, in this order, a file, an app that the daemon knows, or a program. */
export async function startApps(
  deps: ApiDeps,
  what: string | Config,
  settings: AppConfig | undefined,
  options: StartOptions,
): Promise<ProcessView[]> {
  const { client, at } = deps;
  const { wait = true, force = false } = options;
  if (typeof what === 'string' && settings === undefined && !isFile(resolve(at.cwd, what))) {
    const started = await startKnown(deps, what, options);
    if (started) return started;
  }
  const isFileOfApps = typeof what === 'string' && isConfigFile(what);
  if (isFileOfApps && Object.keys(settings ?? {}).length > 0) {
    throw failure('BAD_USAGE', { detail: `a config file takes no settings from the call: set them in "${what}"` });
  }
  const apps = await appsOf(typeof what === 'string' && !isFileOfApps ? { ...settings, script: what } : what, at);
  if (!force) rejectRunning(apps, await client.list({ targets: [] }));
  const launch = launcherFor(apps, client, wait);
  return each(apps, (app) => launch(app, force));
}

export async function updateApp(
  { client, at }: ApiDeps,
  config: string | Config,
  { how = 'reload', parallel = 1, updateEnv = false }: UpdateOptions,
): Promise<ProcessView[]> {
  const apps = await appsOf(config, at);
  const processes = await client.list({ targets: [] });
  return each(apps, updaterFor(apps, client, processes, { how, parallel, renewEnv: updateEnv }));
}

/** Returns undefined if there is no app of this name. */
async function startKnown(
  { client, at: { env } }: ApiDeps,
  target: string,
  { wait = true, force = false, updateEnv = false }: StartOptions,
): Promise<ProcessView[] | undefined> {
  const renewal = { targets: [target], ...(updateEnv && { env }) };
  try {
    return await (force ? client.restart(renewal) : client.start({ ...renewal, wait }));
  } catch (error) {
    if (isFailure(error, 'NO_SUCH_APP')) return undefined;
    throw error;
  }
}

/** Rejects with BAD_CONFIG for a file, and with BAD_APP for an object. */
async function appsOf(config: string | Config, at: SearchPlace): Promise<ConfiguredApp[]> {
  const declared =
    typeof config === 'string' ? await readConfig({ word: config }, at) : declareConfig(given(config, at), undefined);
  for (const note of declared.notes) process.emitWarning(note, 'NsvWarning');
  return resolveConfig(declared, at);
}

function given(value: Config, { cwd }: SearchPlace) {
  const mistakes = new Mistakes(undefined);
  return { file: undefined, shown: 'the config', directory: cwd, value, wasCalled: false, mistakes };
}

/** Waits for all jobs, then throws the first failure. */
async function each(
  apps: readonly ConfiguredApp[],
  job: (app: ConfiguredApp) => Promise<ProcessView[]>,
): Promise<ProcessView[]> {
  const fates = await inOrder(apps, job);
  for (const fate of fates) if ('failed' in fate) throw fate.failed;
  return fates.flatMap((fate) => ('done' in fate ? fate.done : []));
}

/** Another release of an app, found in the same way as by `nsv start`. */
export async function otherProgram({ client, at }: ApiDeps, targets: string[], { script, cwd }: ReloadOptions) {
  if (script === undefined && cwd === undefined) return {};
  const [app, ...others] = await client.describe({ targets });
  if (!app || others.length > 0)
    throw failure('BAD_USAGE', { detail: '--script and --cwd apply to a single app: name one app to reload' });
  return { program: resolveProgram(app.spec, { script, cwd }, { ...at, uid: app.spec.uid }) };
}
