// Finds the words of a PM2 command line that refer to existing apps.
import { basename, extname, resolve } from 'node:path';
import { isRunning } from '../../client/running.ts';
import type { AppSpec } from '../../config/app-spec.ts';
import { isManager, parsePackageCommand } from '../../config/program/scripts/package-command.ts';
import type { AppView } from '../../ipc/views.ts';
import { findProgram, isFile } from '../../os/programs.ts';
import { failure } from '../../shared/errors.ts';
import { type Context, clientIfRunning } from '../command.ts';
import { knownProcesses } from '../plans/start-plan.ts';

/** Replaces script paths with the names of the apps that run them. Throws NO_SUCH_APP if "all" matches none. */
export async function knownTargets(context: Context, words: readonly string[]): Promise<string[]> {
  const files = words.filter((word) => isFile(resolve(context.cwd, word)));
  if (files.length === 0 && !words.includes('all')) return [...words];
  const apps = (await (await clientIfRunning(context))?.describe({ targets: [] })) ?? [];
  if (apps.length === 0 && words.includes('all')) throw failure('NO_SUCH_APP', { target: 'all' });
  return words.flatMap((word) => namesFor(apps, word, resolve(context.cwd, word)));
}

function namesFor(apps: readonly AppView[], word: string, script: string): string[] {
  if (apps.some(({ spec }) => spec.name === word)) return [word];
  const names = apps.filter(({ spec }) => spec.script === script).map(({ spec }) => spec.name);
  return names.length > 0 ? names : [word];
}

/** The words of `pm2 start` that name running apps: PM2 restarts these. */
export async function runningAmong(context: Context, words: readonly string[]): Promise<string[]> {
  const candidates = words.filter((word) => !isFile(resolve(context.cwd, word)));
  const running: string[] = [];
  for (const word of candidates) {
    const processes = await knownProcesses(context, word);
    if (processes.length > 0 && processes.every(({ pid }) => pid !== null)) running.push(word);
  }
  return running;
}

/**
 * The programs among the words of `pm2 start` that apps of the same name run, with these names, if none of their processes is up:
 * PM2 starts these apps again with their settings. `rest`: what the restart is told, without words that name a script.
 */
export async function restingAmong(context: Context, words: readonly string[], tail: readonly string[]) {
  const resting = new Map<string, string>();
  let rest = tail;
  for (const word of words) {
    const app = await namesakeOf(word, tail, context, findProgram(word, context));
    if (!app || app.processes.some(isRunning)) continue;
    resting.set(word, app.spec.name);
    if (isOfScript(app.spec, scriptIn(word, tail))) rest = tail.slice(0, tail.indexOf('--'));
  }
  return { resting, rest };
}

/** The app of the same name and program. `program`: that of this name on the PATH. */
async function namesakeOf(
  word: string,
  tail: readonly string[],
  context: Context,
  program?: string,
): Promise<AppView | undefined> {
  const name = valueIn(tail, '--name') ?? basename(word, extname(word));
  const { cwd } = context;
  const scripts = [resolve(cwd, word), resolve(cwd, valueIn(tail, '--cwd') ?? '.', word), program];
  const apps = (await (await clientIfRunning(context))?.describe({ targets: [] })) ?? [];
  const script = scriptIn(word, tail);
  return apps.find(({ spec }) => spec.name === name && (scripts.includes(spec.script) || isOfScript(spec, script)));
}

/** The script of package.json that `npm -- run web` names, if that is all. */
function scriptIn(word: string, tail: readonly string[]): string | undefined {
  const dashes = tail.indexOf('--');
  const command = parsePackageCommand([word, ...(dashes === -1 ? [] : tail.slice(dashes + 1))]);
  return command && command.args.length === 0 && !command.directory ? command.name : undefined;
}

/** Whether the app is that script: what it runs is not the program that was typed, and has other arguments. */
function isOfScript({ fileEnv, script: file }: AppSpec, script: string | undefined): boolean {
  return script !== undefined && fileEnv.npm_lifecycle_event === script && !isManager(basename(file));
}

function valueIn(tail: readonly string[], flag: string): string | undefined {
  return tail.find((each) => each.startsWith(`${flag}=`))?.slice(flag.length + 1);
}

/**
 * `-f` for a program that runs under the same name: PM2 starts more processes of that name, which in nsv are instances of one
 * app. Throws PM2_ONLY if they are to have settings of their own.
 */
export async function twinOf(words: readonly string[], tail: readonly string[], context: Context) {
  const [word] = words;
  if (word === undefined || words.length > 1) return undefined;
  const app = await namesakeOf(word, tail, context);
  if (!app?.processes.some(({ pid }) => pid !== null)) return undefined;
  const { name } = app.spec;
  if (tail.some((each) => !/^--(force$|name=|instances=)/.test(each))) {
    const instead = `"${name}" runs already, and all processes of a name have the same settings; choose another --name`;
    throw failure('PM2_ONLY', { what: `pm2 start -f ${word} with other settings`, instead });
  }
  return { name, more: Number(valueIn(tail, '--instances') ?? 1) || 1 };
}
