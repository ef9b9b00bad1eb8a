// Resolves the words and flags of `nsv run` to apps and run options.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AppSpec } from '../../config/app-spec.ts';
import { type RunOptions, runFields } from '../../config/options/run-fields.ts';
import { resolveApp } from '../../config/resolve.ts';
import { refusalAt } from '../../os/programs.ts';
import type { RunRequest } from '../../run/main.ts';
import { failure, isFailure } from '../../shared/errors.ts';
import { configWordOrDefault } from '../args/config-word.ts';
import { flagsOf, readFlags, rowsOf } from '../args/flags.ts';
import { type FlagSettings, ofShell, rejectSharedName } from '../args/settings.ts';
import type { Context, Input } from '../command.ts';
import { finishing, runnableApps } from './config-files/bring-up.ts';
import { commandLineOf, noticesTo, startRequestOf } from './start-plan.ts';

type Place = Pick<Context, 'cwd' | 'env' | 'dialect' | 'printNotices' | 'out'>;

/** Throws for every error; if a program is missing or not executable, with the exit code of a shell. */
export async function runPlan(place: Place, input: Input): Promise<RunRequest> {
  const options = runOptionsOf(input.options);
  const { settings, what, args } = startRequestOf(input);
  const config = configWordOrDefault(place, { what, args }, input);
  if (config !== undefined) {
    const apps = await runnableApps(place, config, input, settings);
    if (apps.length === 0)
      throw failure('BAD_USAGE', { detail: `nothing to run: every app of ${config} has "autostart": false` });
    rejectUnknownApp(options, apps);
    return { apps, options };
  }
  const line = commandLineOf({ what, args });
  const programs = line ? [line] : what.map((word) => [word, ...args]);
  rejectSharedName(settings, programs.length, 'programs');
  const apps: AppSpec[] = [];
  if (what.length > 0) {
    const supervised = { ...finishing(place), ...settings };
    for (const program of programs) apps.push(await appOf(program, supervised, place));
  } else if (args.length > 0) {
    apps.push(await appOf(args, { ...settings, autorestart: false }, place));
  } else {
    throw failure('BAD_USAGE', { detail: 'nothing to run: name a file, or a program after --' });
  }
  nameApart(apps);
  rejectUnknownApp(options, apps);
  return { apps, options };
}

/** Makes names unique: for `web/app.js worker/app.js`, --name cannot be used, so the second app is called app-2. */
function nameApart(apps: AppSpec[]): void {
  const taken = new Set<string>();
  for (const app of apps) {
    const { name } = app;
    for (let count = 2; taken.has(app.name); count += 1) app.name = `${name}-${count}`;
    taken.add(app.name);
  }
}

async function appOf(words: string[], settings: FlagSettings, { cwd, env, dialect, out }: Place): Promise<AppSpec> {
  try {
    return await resolveApp({ words, settings: ofShell(settings), cwd, env, dialect, notice: noticesTo(out) });
  } catch (error) {
    if (!isFailure(error, 'NO_SUCH_SCRIPT')) throw error;
    const [program = ''] = words;
    const path = resolve(cwd, program);
    const detail = refusalAt(path) ?? (existsSync(path) ? 'it is not a file' : undefined);
    if (detail === undefined) throw failure('PROGRAM_MISSING', { program }, { cause: error });
    throw failure('PROGRAM_UNEXECUTABLE', { program, detail }, { cause: error });
  }
}

function rejectUnknownApp({ exitOn }: RunOptions, apps: AppSpec[]): void {
  const words = ['all', 'any', 'first-failure', ...apps.map(({ name }) => name)];
  if (words.includes(exitOn)) return;
  throw failure('BAD_OPTION', { problems: [`--exit-on must be one of ${words.join(', ')}, not "${exitOn}"`] });
}

const flags = flagsOf(runFields);

export const runOptions = rowsOf(flags);

/** Fills in the defaults. Throws BAD_OPTION with all errors. */
function runOptionsOf(options: Input['options']): RunOptions {
  const defaults = Object.fromEntries(Object.entries(runFields).map(([key, row]) => [key, row.default]));
  return { ...defaults, ...readFlags(flags, options) } as RunOptions;
}
