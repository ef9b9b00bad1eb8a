// Resolves each word of `nsv start` before anything is started.
import { basename, resolve } from 'node:path';
import { isRunning } from '../../client/running.ts';
import type { AppSpec } from '../../config/app-spec.ts';
import { runners } from '../../config/program/scripts/bins.ts';
import { isManager } from '../../config/program/scripts/package-command.ts';
import { packageIn } from '../../config/program/scripts/packages.ts';
import { resolveApp } from '../../config/resolve.ts';
import type { ProcessView } from '../../ipc/views.ts';
import { isFile, isNodeName } from '../../os/programs.ts';
import { failure, isFailure } from '../../shared/errors.ts';
import { type FlagSettings, flagSettingsOf, ofShell, rejectSettings, rejectSharedName } from '../args/settings.ts';
import { type Context, clientIfRunning, type Input, type Output } from '../command.ts';
import { printable } from '../render/text.ts';

export type StartStep = { kind: 'new'; app: AppSpec } | KnownStep;

interface KnownStep {
  kind: 'known';
  target: string;
  isRunning: boolean;
}

export type StartRequest = ReturnType<typeof startRequestOf>;

/** What the user typed: the words before `--` are what to start. Throws if an option is invalid. */
export function startRequestOf(input: Input) {
  const settings = flagSettingsOf(input.options);
  return { settings, ...wordsOf(input, settings) };
}

/** What several words are together if the first one runs the others: `npm start`, `node app.js`. Undefined if each is an app. */
export function commandLineOf({ what, args }: Pick<StartRequest, 'what' | 'args'>): string[] | undefined {
  const [first = '', second] = what;
  if (second === undefined || !(isNodeName(first) || isManager(first) || runners.includes(first))) return undefined;
  // nsv has taken the `--` that was for npm.
  return [...what, ...(first === 'npm' && args.length > 0 ? ['--'] : []), ...args];
}

/** Throws if any word or option is invalid. */
export async function planStart(
  context: Context,
  { settings, ...words }: StartRequest,
  options: Input['options'],
): Promise<StartStep[]> {
  const { what, args } = words;
  const line = what.length === 0 ? args : commandLineOf(words);
  const isLine = line && (what.length === 0 || (await knownProcesses(context, line[0]!)).length === 0);
  const programs = isLine ? [line] : what.map((word) => [word, ...args]);
  const { cwd, env, dialect } = context;
  if (programs.length === 0 || programs.some(([word]) => !word))
    throw failure('BAD_USAGE', { detail: `nothing to start: ${startable(cwd)}` });
  const notice = noticesTo(context.out);
  const steps: StartStep[] = [];
  for (const program of programs) {
    const [word = ''] = program;
    const places = [resolve(cwd, word), resolve(cwd, settings.cwd ?? '.', word)];
    const known = places.some(isFile) ? [] : await knownProcesses(context, word);
    if (known.length > 0) steps.push({ kind: 'known', target: word, isRunning: known.every(isRunning) });
    else
      steps.push({
        kind: 'new',
        app: await resolveApp({ words: program, settings: ofShell(settings), cwd, env, dialect, notice }),
      });
  }
  rejectSharedName(settings, steps.filter(({ kind }) => kind === 'new').length, 'programs');
  for (const step of steps) if (step.kind === 'known') rejectKnown(step, settings, options);
  await rejectTakenNames(context, steps, options);
  for (const step of steps) if (step.kind === 'new') noteUnshared(context.out, step.app);
  return steps;
}

/** What the user could name. Throws BAD_PACKAGE. */
function startable(cwd: string): string {
  const script = packageIn(cwd)?.scripts.start;
  if (script !== undefined) return `to run the script "start" of package.json (${script}), use "nsv start ."`;
  return 'name a file, a program, a quoted command line or a known app, or create a config file with "nsv init"';
}

function wordsOf({ words, afterDashes, options }: Input, settings: FlagSettings) {
  const what = words.slice(0, words.length - afterDashes);
  const args = words.slice(words.length - afterDashes);
  // In `nsv start --watch app.js`, commander takes the program for a path to watch.
  if (what.length === 0 && typeof options.watch === 'string') {
    what.push(options.watch);
    settings.watch = ['.'];
  }
  return { what, args };
}

function rejectKnown({ target, isRunning }: KnownStep, settings: FlagSettings, { force }: Input['options']): void {
  rejectSettings(settings, target);
  if (isRunning && !force) throw failure('ALREADY_RUNNING', { name: target });
}

/** For a single program, the daemon itself checks this before it starts anything. */
async function rejectTakenNames(
  context: Context,
  steps: readonly StartStep[],
  { force }: Input['options'],
): Promise<void> {
  const names = steps.flatMap((step) => (step.kind === 'new' ? [step.app.name] : []));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) {
    throw failure('BAD_USAGE', {
      detail: `two of these apps would be called "${twice}": start one of them separately, with another --name`,
    });
  }
  if (steps.length < 2 || force) return;
  for (const name of names) {
    const known = await knownProcesses(context, name);
    if (known.some((process) => process.name === name && isRunning(process)))
      throw failure('ALREADY_RUNNING', { name });
  }
}

/** Empty if no daemon is running, or if it does not know the word. */
export async function knownProcesses(context: Context, target: string): Promise<ProcessView[]> {
  try {
    return (await (await clientIfRunning(context))?.list({ targets: [target] })) ?? [];
  } catch (error) {
    if (isFailure(error, 'NO_SUCH_APP')) return [];
    throw error;
  }
}

/** Says what is run in place of what was typed. */
export function noticesTo(out: Output): (text: string) => void {
  return (text) => out.note(printable(`nsv: ${text}`));
}

/** Runtimes whose users expect that the processes of an app share its port, as with Node. */
const runtimes = ['bun', 'deno'];

/** Several processes of such an app can only work if each binds a port of its own, or none. */
function noteUnshared(out: Output, { name, interpreter, script, listen, instances }: AppSpec): void {
  const runtime = basename(interpreter ?? script);
  if (!runtimes.includes(runtime) || listen.length > 0 || instances < 2) return;
  noticesTo(out)(
    `the ${instances} processes of "${name}" cannot share a port, as ${runtime} is not Node: give each its own (increment_var in a config file), or use --listen`,
  );
}
