// Starts, restarts and reloads the apps of a config file.
import { launcherFor, rejectRunning, updaterFor } from '../../../client/bring-up.ts';
import { isRunning, namesOf } from '../../../client/running.ts';
import { type AppSpec, hasLimits, optionName } from '../../../config/app-spec.ts';
import { type Dependent, type Fate, inOrder } from '../../../config/file/order.ts';
import type { ConfiguredApp } from '../../../config/file/read.ts';
import type { SpecChanges } from '../../../config/resolve-changes.ts';
import { jointProgress } from '../../../ipc/joint-progress.ts';
import { defaultLimits } from '../../../ipc/limits.ts';
import type { Client, Report } from '../../../ipc/protocol.ts';
import type { ProcessView } from '../../../ipc/views.ts';
import { detailOf, failure, NsvError } from '../../../shared/errors.ts';
import { bounded } from '../../../shared/promises.ts';
import { shellWord } from '../../../shared/shell-word.ts';
import type { FlagSettings } from '../../args/settings.ts';
import type { Context, Input, Output } from '../../command.ts';
import { printProcesses } from '../../print.ts';
import { describeApps, noteRestarted, printReady } from '../ready.ts';
import { chosenApps, type Invocation } from './chosen.ts';

/** Starts all apps of the file; starts none if one of them is running, unless `--force` is given. */
export async function startConfig(context: Context, word: string, input: Input, more: FlagSettings): Promise<void> {
  const chosen = await chosenApps(context, word, input, more);
  const client = await context.connect({ launch: true });
  const apps = await applicable(chosen, context, client);
  const force = input.options.force === true;
  if (!force) rejectRunning(apps, await client.list({ targets: [] }), reloadOf(word, input));
  const launch = launcherFor(apps, client, input.options.wait !== false);
  const run = () => inTurn(apps, context.out, (app, report) => launch(app, force, report));
  await (input.options.wait === false ? printProcesses(context.out, await run()) : printReady(context.out, run));
}

function reloadOf(word: string, { options }: Input): string {
  const flags = (['only', 'env'] as const).flatMap((name) =>
    options[name] === undefined ? [] : [`--${name}`, String(options[name])],
  );
  return ['nsv', 'reload', word, ...flags].map(shellWord).join(' ');
}

interface How {
  how: 'restart' | 'reload';
  parallel?: number;
  /** They override the file. */
  changes?: SpecChanges | undefined;
}

/** Applies the settings of the file to known apps by a restart or a reload, and starts the others. */
export async function updateConfig(
  context: Context,
  word: string,
  input: Input,
  { how, parallel = 1, changes }: How,
): Promise<void> {
  if (changes) rejectUnshared(changes, word);
  const chosen = await chosenApps(context, word, input, changes?.settings ?? {});
  const client = await context.connect({ launch: true });
  const apps = await applicable(chosen, context, client);
  const processes = await client.list({ targets: [] });
  const update = updaterFor(apps, client, processes, { how, parallel, renewEnv: input.options.updateEnv === true });
  const updated = await printReady(context.out, () => inTurn(apps, context.out, update));
  if (how === 'restart') return;
  const running = namesOf(processes.filter(isRunning));
  const renewed = updated.filter(({ name }) => running.has(name));
  noteRestarted(context.out, await describeApps(client, renewed));
}

/** PM2 knows no `cpu`, `memory` and `pids`: in its dialect, an app starts without them if the daemon cannot apply them. */
async function applicable(
  apps: ConfiguredApp[],
  { dialect, out }: Pick<Context, 'dialect' | 'out'>,
  client?: Client,
): Promise<ConfiguredApp[]> {
  if (dialect !== 'pm2' || !apps.some(({ spec }) => hasLimits(spec))) return apps;
  const { findDelegation } = await import('../../../os/cgroups/app-cgroups.ts');
  try {
    findDelegation('/', (await client?.ping({}))?.pid);
    return apps;
  } catch (error) {
    out.note(`nsv: "cpu", "memory" and "pids" have no effect: ${detailOf(error)}`);
    return apps.map((app) => ({ ...app, spec: { ...app.spec, cpu: undefined, memory: undefined, pids: undefined } }));
  }
}

/** With code 0 an app of `nsv run` has finished. In PM2, only `stop_exit_codes` say so. */
export function finishing({ dialect }: Pick<Context, 'dialect'>): FlagSettings {
  return dialect === 'pm2' ? {} : { stopExitCodes: [0] };
}

/** The apps for `nsv run`. Apps with `autostart: false` are left out: they would never end. */
export async function runnableApps(
  place: Invocation & Pick<Context, 'out'>,
  word: string,
  input: Input,
  more: FlagSettings,
): Promise<AppSpec[]> {
  const apps = await applicable(await chosenApps(place, word, input, more, finishing(place)), place);
  return apps.filter(({ active }) => active).map(({ spec }) => spec);
}

/** What the file says is changed in the file. */
function rejectUnshared({ cleared, script, args }: SpecChanges, file: string): void {
  const given = [
    ...cleared.map((key) => `to take ${optionName(key)} away`),
    ...(script === undefined ? [] : [`--script "${script}"`]),
    ...(args === undefined ? [] : [`arguments such as "${args[0]}"`]),
  ];
  if (given.length > 0)
    throw failure('BAD_USAGE', {
      detail: `${given.join(', ')}: change it in ${file}, or name an app instead of the file`,
    });
}

/**
 * Like `inOrder`, with as many calls at once as the daemon takes, and one line of progress. Waits for all, notes skipped apps and later
 * failures, then throws the first failure.
 */
export async function inTurn<A extends Dependent>(
  apps: readonly A[],
  out: Output,
  job: (app: A, report: Report) => Promise<ProcessView[]>,
): Promise<ProcessView[]> {
  const track = jointProgress(apps.length, 'ready', out.progress);
  const run = (app: A) => track(app.name, (report) => job(app, report));
  const fates = await inOrder(apps, bounded(defaultLimits.calls, run));
  const [first, ...others] = fates.flatMap((fate) => ('failed' in fate ? [fate.failed] : []));
  for (const error of others) if (error instanceof NsvError) await out.report(error);
  for (const [index, fate] of fates.entries()) {
    if ('skipped' in fate)
      out.note(`nsv: skipped "${apps[index]!.name}": it depends on "${fate.skipped}", which is not ready`);
  }
  if (first !== undefined) throw first;
  return fates.flatMap((fate: Fate<ProcessView[]>) => ('done' in fate ? fate.done : []));
}
