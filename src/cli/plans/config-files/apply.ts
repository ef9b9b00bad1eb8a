// Starts, reloads and stops apps until they match the config file.
import { launcherFor } from '../../../client/bring-up.ts';
import { withoutDefaults } from '../../../config/app-spec.ts';
import { resolveConfig } from '../../../config/file/read.ts';
import type { Client } from '../../../ipc/protocol.ts';
import type { ProcessView } from '../../../ipc/views.ts';
import { type Context, clientIfRunning, type Input, isConfirmed } from '../../command.ts';
import { printEither } from '../../print.ts';
import { renderSteps } from '../../render/steps.ts';
import { type ApplyStep, applyPlan } from './apply-plan.ts';
import { inTurn } from './bring-up.ts';
import { chosenConfig } from './chosen.ts';

export async function applyConfig(context: Context, word: string, input: Input): Promise<void> {
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
  return async ({ action, app }: ApplyStep): Promise<ProcessView[]> => {
    if (!app || action === 'keep') return [];
    if (action === 'start') return launch(app, false);
    if (action === 'change') return launch({ ...app, active: false }, false);
    if (action === 'scale') return client.scale({ targets: [app.name], instances: app.spec.instances });
    return client.update({ app: withoutDefaults(app.spec), how: 'reload', parallel: 1, renewEnv: updateEnv === true });
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
