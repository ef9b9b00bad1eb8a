// Tells after a restart that a config file has changed since: only commands that name the file read it.
import { statSync } from 'node:fs';
import { differingSettings } from '../../../config/difference.ts';
import { readConfig, resolveConfig } from '../../../config/file/read.ts';
import type { AppView } from '../../../ipc/views.ts';
import { foreignAmong } from '../../../os/trust/found-file.ts';
import { shellWord } from '../../../shared/shell-word.ts';
import type { Context } from '../../command.ts';
import { changeText } from '../../render/steps.ts';
import { printable } from '../../render/text.ts';

/** Notes what `nsv apply` would change. The number of instances is left out, as it is often changed by hand. */
export async function noteEdited(context: Context, apps: readonly AppView[]): Promise<void> {
  for (const { spec, createdAt } of apps) {
    const { name, configFile, configEnv } = spec;
    if (configFile === undefined) continue;
    try {
      if (!mayDiffer(configFile, createdAt, context)) continue;
      const config = await readConfig({ word: configFile, environment: configEnv, dialect: context.dialect }, context);
      const own = config.apps.filter((app) => app.name === name);
      const [app] = await resolveConfig({ ...config, apps: own }, context);
      const names = app ? differingSettings(spec, app.spec).filter((setting) => setting !== 'instances') : [];
      const changes = names.map((setting) => changeText({ setting, before: spec[setting], after: app?.spec[setting] }));
      const command = ['nsv', 'apply', config.loaded.shown, ...(configEnv === undefined ? [] : ['--env', configEnv])];
      if (changes.length > 0)
        context.out.note(
          printable(
            `nsv: ${name} still has its old settings: run "${command.map(shellWord).join(' ')}" to change ${changes.join(', ')}`,
          ),
        );
    } catch {
      // A file that cannot be used is no concern of a restart; whoever applies it is told.
    }
  }
}

/** A file of another user may be a program. */
function mayDiffer(file: string, createdAt: number, { env }: Context): boolean {
  return statSync(file).ctimeMs > createdAt && foreignAmong([file], env) === undefined;
}
