// `nsv restart` and `nsv reload`, also with new settings for apps that exist.
import { type AppSpec, optionName, withoutDefaults } from '../../config/app-spec.ts';
import { differingForGood, differingSettings } from '../../config/difference.ts';
import { resolveChanges, type SpecChanges } from '../../config/resolve-changes.ts';
import type { Client, Params } from '../../ipc/protocol.ts';
import type { AppView, ProcessView } from '../../ipc/views.ts';
import { failure } from '../../shared/errors.ts';
import { settled } from '../../shared/promises.ts';
import { configWord } from '../args/config-word.ts';
import { changeOptions, changesOf, rejectSharedName } from '../args/settings.ts';
import { renewedEnv } from '../args/update-env.ts';
import type { Context, Input, OptionRow } from '../command.ts';
import { changeText } from '../render/steps.ts';
import { printable } from '../render/text.ts';
import { updateConfig } from './config-files/bring-up.ts';
import { noteEdited } from './config-files/edited.ts';
import { describeApps, noteRestarted, printReady } from './ready.ts';

export const newSettingsOptions: readonly OptionRow[] = [
  ['--script <file>', 'run this file instead'],
  ['--cwd <directory>', 'run in this directory instead'],
  ...changeOptions.filter(([spelling]) => !spelling.includes('--cwd')),
];

export const newSettingsNotes = `Takes the settings of "nsv start" too, such as --max-memory-restart 300M or --name other, and gives them to the app; --no-… (--no-watch,
--no-max-memory-restart) or the value null takes one away. Arguments after -- are the new arguments of the program.`;

/** Restarts or reloads apps, or those of a config file, with what the user wants to be changed. */
export async function renewApps(
  context: Context,
  input: Input,
  how: 'restart' | 'reload',
  parallel = 1,
): Promise<void> {
  const { targets, changes } = newSettingsOf(input);
  const config = configWord(context, targets, input);
  if (config !== undefined) return updateConfig(context, config, input, { how, parallel, changes });
  const client = await context.connect();
  const env = renewedEnv(context, input.options);
  const renewEnv = input.options.updateEnv === true;
  const processes = await printReady(context.out, () => {
    if (changes) return changeApps(context, client, targets, changes, { how, parallel, renewEnv });
    return how === 'restart' ? client.restart({ targets, ...env }) : client.reload({ targets, parallel, ...env });
  });
  const apps = await describeApps(client, processes);
  if (how === 'reload') noteRestarted(context.out, apps);
  if (!changes) await noteEdited(context, apps);
}

/** Undefined if nothing is to be changed. The words before `--` are the targets. Throws BAD_OPTION. */
function newSettingsOf({ words, afterDashes, options }: Input): {
  targets: string[];
  changes: SpecChanges | undefined;
} {
  const targets = words.slice(0, words.length - afterDashes);
  const args = afterDashes > 0 ? words.slice(-afterDashes) : undefined;
  const changes = changesOf(options);
  const script = options.script as string | undefined;
  const isNone = Object.keys(changes.settings).length + changes.cleared.length === 0 && !script && !args;
  return { targets, changes: isNone ? undefined : { ...changes, script, args } };
}

/** Changes all apps at the same time. Throws the first failure when every app has settled. */
async function changeApps(
  context: Context,
  client: Client,
  targets: string[],
  changes: SpecChanges,
  request: Omit<Params<'update'>, 'app' | 'target'>,
): Promise<ProcessView[]> {
  const apps = await client.describe({ targets });
  rejectPartly(apps, targets);
  rejectSharedName(changes.settings, apps.length, 'apps');
  if (changes.script !== undefined && apps.length > 1)
    throw failure('BAD_OPTION', {
      problems: [`--script "${changes.script}" applies to a single app, not to ${apps.length}`],
    });
  const renewed = apps.map(({ spec }) => ({ before: spec, after: resolveChanges(spec, changes, context) }));
  if (request.how === 'reload') for (const { before, after } of renewed) rejectLasting(before, after);
  const views = await settled(
    renewed.map(async ({ before, after }) => {
      const app = withoutDefaults(request.renewEnv ? { ...after, env: context.env } : after);
      const updated = await client.update({ app, target: before.name, ...request });
      printChanges(context, before, after);
      return updated;
    }),
  );
  return views.flat();
}

/** Settings belong to an app. */
function rejectPartly(apps: readonly AppView[], targets: readonly string[]): void {
  const partly = apps.find(({ spec, processes }) => processes.length < spec.instances);
  if (!partly) return;
  const detail = `"${targets.join(' ')}" is one of the ${partly.spec.instances} instances of "${partly.spec.name}", which share their settings: name the app`;
  throw failure('BAD_USAGE', { detail });
}

function rejectLasting(before: AppSpec, after: AppSpec): void {
  const names = differingForGood(before, after);
  if (names.length === 0) return;
  const what = names.map((name) => (name === 'node' ? `from ${kindOf(before)} to ${kindOf(after)}` : optionName(name)));
  const problem = `${what.join(', ')}: "${before.name}" cannot change this without a gap, because its sockets have to be opened anew; use "nsv restart"`;
  throw failure('BAD_OPTION', { problems: [problem] });
}

function kindOf({ node }: AppSpec): string {
  return node ? 'a Node program' : 'another program';
}

function printChanges({ out }: Context, before: AppSpec, after: AppSpec): void {
  const changes = differingSettings(before, after).map((setting) => ({
    setting,
    before: before[setting],
    after: after[setting],
  }));
  const text = changes.length === 0 ? 'its settings are as before' : changes.map(changeText).join(', ');
  out.note(printable(`nsv: ${before.name}: ${text}`));
}
