import { launcherFor } from '../../client/bring-up.ts';
import { withoutDefaults } from '../../config/app-spec.ts';
import { resolveConfig } from '../../config/file/read.ts';
import type { Client, Report } from '../../ipc/protocol.ts';
import type { ProcessView } from '../../ipc/views.ts';
import { configArgument, configOptions, configOrDefault } from '../args/config-word.ts';
import { updateEnvOption } from '../args/update-env.ts';
import { type Command, type Context, clientIfRunning, type Input, isConfirmed, jsonOption } from '../command.ts';
import { type ApplyStep, applyPlan } from '../plans/config-files/apply-plan.ts';
import { inTurn } from '../plans/config-files/bring-up.ts';
import { chosenConfig } from '../plans/config-files/chosen.ts';
import { printEither } from '../print.ts';
import { renderSteps } from '../render/steps.ts';

export const apply: Command = {
  summary: 'starts, reloads and stops apps until they match the config file',
  notes: `Starts apps that are missing, reloads apps whose settings differ from the file, and changes the number of instances. Processes
that are not ready are replaced, so the exit code is 0 only if all apps are as the file says. Apps that were started from this file
and are no longer in it are removed with --prune, or after you confirm. Other apps are left alone. A second run changes nothing.

Apps that were changed by hand are changed back. Use the same --env each time. A different shell environment does not count as
a change.`,
  arguments: [configArgument],
  options: [
    ['--dry-run', 'print what would change, and change nothing'],
    ['--prune', 'remove apps that are no longer in the file, without asking'],
    updateEnvOption,
    ...configOptions,
    jsonOption,
  ],
  examples: [
    ['nsv apply', 'apply the config file in this directory'],
    ['nsv apply --dry-run', 'show what would change'],
    ['nsv apply apps.yaml --prune', 'for a deployment script'],
  ],
  run: (context, input) => applyConfig(context, configOrDefault(context, input.words), input),
};

async function applyConfig(context: Context, word: string, input: Input): Promise<void> {
  const { options } = input;
  const config = await chosenConfig(context, word, input);
  const apps = await resolveConfig(config, context);
  const known = await (await clientIfRunning(context))?.describe({ targets: [] });
  const all = applyPlan(apps, known ?? [], { file: config.loaded.file, isWhole: options.only === undefined });
  const steps = options.dryRun ? all : await withoutWhatStays(context, all, options.prune === true);
  if (!options.dryRun && steps.some(({ action }) => action !== 'keep')) {
    const client = await context.connect({ launch: true });
    const names = steps.filter(({ action }) => action === 'remove').map(({ name }) => name);
    if (names.length > 0) await client.delete({ targets: names });
    await inTurn(steps, context.out, performer(steps, client, options));
  }
  const view = steps.map(({ action, name, changes }) => ({ action, name, changes: changes.map(withoutSecrets) }));
  printEither(context.out, view, () => renderSteps(steps));
}

function performer(steps: readonly ApplyStep[], client: Client, { updateEnv }: Input['options']) {
  const apps = steps.flatMap(({ app }) => app ?? []);
  const launch = launcherFor(apps, client, true);
  return async ({ action, app, changes }: ApplyStep, report: Report): Promise<ProcessView[]> => {
    if (!app || action === 'keep') return [];
    if (action === 'start') return launch(app, false, report);
    if (action === 'change') return launch({ ...app, active: false }, false, report);
    const targets = [app.name];
    if (action === 'scale' || action === 'repair') {
      const scaled = changes.length > 0 ? await client.scale({ targets, instances: app.spec.instances }, report) : [];
      return action === 'scale' ? scaled : client.reload({ targets, parallel: 1, only: 'unready' }, report);
    }
    const spec = withoutDefaults(app.spec);
    return client.update({ app: spec, how: 'reload', parallel: 1, renewEnv: updateEnv === true }, report);
  };
}

/** Apps missing from the file are removed only with `--prune` or after confirmation. */
async function withoutWhatStays(context: Context, steps: ApplyStep[], prune: boolean): Promise<ApplyStep[]> {
  const { out } = context;
  const gone = steps.filter(({ action }) => action === 'remove').map(({ name }) => name);
  if (gone.length === 0 || prune) return steps;
  const isAsking = out.terminal.tty && process.stdin.isTTY && !out.json;
  if (isAsking && (await isConfirmed(context, `remove ${gone.join(', ')}, no longer in the file?`))) return steps;
  out.note(`nsv: no longer in the file, but left running: ${gone.join(', ')} (use --prune to remove)`);
  return steps.filter(({ action }) => action !== 'remove');
}

/** Shows only the names of variables, because their values may be passwords. */
function withoutSecrets({ setting, before, after }: ApplyStep['changes'][number]) {
  return setting === 'fileEnv' ? { setting } : { setting, before, after };
}
