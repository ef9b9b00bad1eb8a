import { resolve } from 'node:path';
import { parseRuntimeKey } from '../../ipc/app/runtime-settings.ts';
import type { RuntimeChange, RuntimeHolder, RuntimeSettingsView, RuntimeValues } from '../../ipc/app/views.ts';
import { detailOf, failure } from '../../shared/errors.ts';
import { type Command, type Context, jsonOption, someTargetsArgument } from '../command.ts';
import { printPainted } from '../print.ts';
import { renderLabelled } from '../render/labelled.ts';
import type { Paint } from '../render/paint.ts';
import { printable } from '../render/text.ts';

const targetArgument = ['<target>', 'name, id, namespace, "all" or /regex/'] as const;

export const config: Command = {
  summary: 'shows the runtime settings of apps, or has them read from a file',
  notes: `Runtime settings are values that a Node app reads with "nsv/app" while it runs; they change without a restart. They are kept until
"nsv delete". Not to be confused with the options of the app itself: "nsv show". The file holds one object in JSON or YAML. It is
read again whenever it changes; a file that is broken, or that a process rejects, changes nothing, and "nsv list" says so.
Values whose keys contain "secret", "password", "token" or "key" are masked.`,
  arguments: [someTargetsArgument],
  options: [
    ['--file <path>', 'take the settings from this file, and watch it'],
    ['--no-file', 'watch the file no longer; the values stay'],
    ['--show-secrets', 'do not mask secrets'],
    jsonOption,
  ],
  examples: [
    ['nsv config web', 'the values, and who has which version'],
    ['nsv config web --file settings.json', 'take them from a file from now on'],
  ],
  async run(context, { words, options: { file, showSecrets = false } }) {
    if (file !== undefined) {
      if (words.length === 0) throw failure('BAD_USAGE', { detail: 'name the app whose settings file this is about' });
      await change(context, words, { file: typeof file === 'string' ? resolve(context.cwd, file) : null });
      return;
    }
    const client = await context.connect();
    await print(context, await client.runtimeSettings({ targets: words, secrets: showSecrets === true }));
  },
};

export const setConfig: Command = {
  summary: 'changes runtime settings in all processes of an app at once',
  notes: `A value is JSON if it can be read as JSON, else text: limit=100 is a number, name=web is text, and id='"100"' is text, too.
If a check in one of the processes rejects the change, it happens nowhere: exit code 6. A process that does not respond within 3 s
has not rejected it, and gets it when it is back. All values of an app together take up to 64 KB.`,
  arguments: [targetArgument, ['<settings...>', 'key=value']],
  options: [jsonOption],
  examples: [
    ['nsv config set web limit=100', 'a number'],
    [`nsv config set web 'sizes={"s":1}' title=Shop`, 'two in one change'],
  ],
  async run(context, { words: [target = '', ...pairs] }) {
    await change(context, [target], { set: valuesOf(pairs) });
  },
};

export const unsetConfig: Command = {
  summary: 'removes runtime settings in all processes of an app at once',
  arguments: [targetArgument, ['<keys...>', 'keys of the settings']],
  options: [jsonOption],
  examples: [['nsv config unset web limit', 'the app gets undefined for it']],
  async run(context, { words: [target = '', ...keys] }) {
    await change(context, [target], { unset: keys.map(keyOf) });
  },
};

async function change(context: Context, targets: string[], change: RuntimeChange): Promise<void> {
  const client = await context.connect();
  await print(context, await client.changeRuntimeSettings({ targets, ...change }));
}

function print({ out }: Context, views: RuntimeSettingsView[]): Promise<void> {
  return printPainted(out, views, (paint) => views.map((view) => renderRuntimeSettings(view, paint)).join('\n\n'));
}

/** Throws BAD_USAGE. */
function valuesOf(pairs: readonly string[]): RuntimeValues {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw failure('BAD_USAGE', { detail: `"${pair}" is not a setting: write key=value` });
      return [keyOf(pair.slice(0, at)), parsedValue(pair.slice(at + 1))];
    }),
  );
}

/** Throws BAD_USAGE. */
function keyOf(word: string): string {
  try {
    return parseRuntimeKey(word);
  } catch (cause) {
    throw failure('BAD_USAGE', { detail: detailOf(cause) }, { cause });
  }
}

/** JSON if it can be read as JSON, else text. */
function parsedValue(word: string): unknown {
  try {
    return JSON.parse(word);
  } catch {
    return word;
  }
}

function renderRuntimeSettings(view: RuntimeSettingsView, paint: Paint): string {
  const { name, version, values, file, problem, processes } = view;
  const head = version === 0 ? 'no runtime settings' : `version ${version}`;
  const settings = Object.entries(values).map(([key, value]) => [printable(key), JSON.stringify(value)] as const);
  return [
    `${paint('key', printable(name))}  ${head}${file === null ? '' : `, from ${printable(file)}`}`,
    ...(problem === null ? [] : [`  ${paint('bad', printable(`the file is not in force: ${problem}`))}`]),
    ...renderLabelled(settings, paint),
    ...missing(version, processes).map((line) => `  ${paint('warning', line)}`),
  ].join('\n');
}

/** All have confirmed it, or these have not. */
function missing(version: number, processes: readonly RuntimeHolder[]): string[] {
  return processes
    .filter((process) => (process.version ?? 0) !== version)
    .map(({ slot, pid, version: held }) => {
      const has = held === null ? 'has confirmed no version yet' : `still has version ${held}`;
      return `instance ${slot} (pid ${pid}) ${has}: it gets version ${version} when it responds`;
    });
}
