// Runs a PM2 command line with the commands of nsv.
import { basename, extname, resolve } from 'node:path';
import { isRunning } from '../../client/running.ts';
import { isConfigFile, standardInput } from '../../config/config-file.ts';
import { isFile } from '../../os/programs.ts';
import { failure, isFailure, type NsvError } from '../../shared/errors.ts';
import { type Context, clientIfRunning, type Output } from '../command.ts';
import { knownTargets, restingAmong, runningAmong, twinOf } from './known.ts';
import { type Translation, translate, translateRuntime } from './translate.ts';

/** Throws like the commands of nsv. */
export async function performPm2(argv: readonly string[], outer: Context): Promise<void> {
  if (argv.length === 0) {
    await outer.run(['--help'], outer);
    throw failure('BAD_USAGE', { detail: 'no command was given' });
  }
  if (isAboutRotation(argv)) return outer.out.note(`nsv: pm2 ${argv.join(' ')} has no effect: ${rotation}`);
  const typed = translate(argv);
  const context = mannered(outer, typed);
  const translation = withoutArguments(typed, context);
  for (const notice of translation.notices) context.out.note(`nsv: ${notice}`);
  await settled(translation, context);
  if (translation.attach) await context.run(['logs', ...namesOf(translation, context)], context);
}

const rotation = 'log rotation is built in; see --log-max-size, --log-keep and --log-rotate of "nsv start"';

/** The module that most scripts install, and set up, which must not fail for something that nsv does anyway. */
function isAboutRotation([command = '', ...words]: readonly string[]): boolean {
  const isModule = /^(?:module:)?(?:install|uninstall|update)$|^(?:set|get|unset|multiset|conf)$/.test(command);
  return isModule && words.some((word) => word.startsWith('pm2-logrotate'));
}

/** Throws like `nsv run`. */
export async function performPm2Runtime(argv: readonly string[], outer: Context): Promise<void> {
  const typed = translateRuntime(argv);
  const context = mannered(outer, typed);
  const { nsv, words, tail, notices } = withoutArguments(typed, context);
  for (const notice of notices) context.out.note(`nsv: ${notice}`);
  await context.run([...nsv, ...words, ...tail], context);
}

/** PM2 ignores what follows `--` after a config file. */
function withoutArguments(translation: Translation, context: Context): Translation {
  const { words, tail } = translation;
  const dashes = tail.indexOf('--');
  if (dashes < 0 || words.length === 0 || !isOneConfig(words, context)) return translation;
  const notice = `${tail.slice(dashes).join(' ')} is ignored: apps of a config file have their "args" there`;
  return { ...translation, tail: tail.slice(0, dashes), notices: [...translation.notices, notice] };
}

/** An app that is not ready is in the list, which is success in PM2, whatever the command. */
async function settled(translation: Translation, context: Context): Promise<void> {
  try {
    await (ways[translation.nsv.join(' ')] ?? usual)(translation, context);
  } catch (error) {
    if (!isTolerable(error, translation, context)) throw error;
    await context.out.report(error);
  }
}

/** None of the apps of a file has to be there to stop or delete them. */
function isTolerable(error: unknown, { command, words }: Translation, context: Context): error is NsvError {
  const { names, tolerates = [] } = command;
  if (isFailure(error, 'NOT_READY', ...tolerates)) return true;
  const isEnding = names[0] === 'stop' || names[0] === 'delete';
  return isEnding && isFailure(error, 'NO_SUCH_APP', 'DAEMON_NOT_RUNNING') && isOneConfig(words, context);
}

type Way = (translation: Translation, context: Context) => Promise<void>;

/** Commands that work differently in nsv. */
const ways: Record<string, Way> = {
  start,
  restart,
  // PM2 ignores further words.
  signal: ({ words, ...translation }, context) => usual({ ...translation, words: words.slice(0, 2) }, context),
  // PM2 launches its daemon for this.
  ping: (_, context) => context.connect({ launch: true }).then(() => context.out.write("{ msg: 'pong' }")),
  id,
  profile,
  // PM2's name for the file. `simple` asks it for fewer comments.
  init: (_, context) => context.run(['init', 'ecosystem.config.js'], context),
  startup: boot,
  unstartup: boot,
};

async function usual({ command, nsv, words, tail }: Translation, context: Context): Promise<void> {
  const targets = command.targets ? await knownTargets(context, words) : words;
  await context.run([...nsv, ...targets, ...tail], context);
}

/** PM2's names for systems, and the init systems they use. */
const initSystems: Record<string, string> = {
  ...Object.fromEntries(
    ['ubuntu', 'debian', 'centos', 'redhat', 'arch', 'oracle', 'amazon'].map((name) => [name, 'systemd']),
  ),
  ...Object.fromEntries(['darwin', 'macos'].map((name) => [name, 'launchd'])),
  gentoo: 'openrc',
};

/** PM2 restarts running apps that are given by name or in a config file, and stopped ones also by their program. */
async function start({ nsv, words, tail }: Translation, context: Context): Promise<void> {
  if (isOneConfig(words, context)) return startConfig(words, tail, context);
  const isForced = tail.includes('--force');
  const running = await runningAmong(context, words);
  const { resting, rest } = await restingAmong(context, isForced ? [] : words, tail);
  const known = [...running, ...resting.values()];
  const others = words.filter((word) => !running.includes(word) && !resting.has(word));
  const changes = rest.filter((word) => word !== '--force' && !(resting.size > 0 && word.startsWith('--name=')));
  if (known.length > 0) await context.run(['restart', ...known, ...changes], context);
  if (others.length === 0 && known.length > 0) return;
  const twin = isForced ? await twinOf(others, tail, context) : undefined;
  if (twin) await context.run(['scale', twin.name, `+${twin.more}`], context);
  else await context.run([...nsv, ...others, ...tail], context);
}

/** Only `nsv start` accepts settings that override those of the file: with --force it replaces running apps. */
function startConfig(words: readonly string[], tail: readonly string[], context: Context): Promise<void> {
  const choice = tail.filter((word) => /^--(only|env|update-env)\b/.test(word));
  const isForced = tail.includes('--force');
  const isPlain = choice.length + Number(isForced) === tail.length;
  return context.run(
    isPlain ? ['startOrRestart', ...words, ...choice] : ['start', '--force', ...words, ...tail],
    context,
  );
}

/** Without words, the config file of the directory is used. */
function isOneConfig(words: readonly string[], { cwd }: Context): boolean {
  const isThere = (word: string) => word === standardInput || isFile(resolve(cwd, word));
  return words.length < 2 && words.every((word) => isConfigFile(word) && isThere(word));
}

/** `--watch` is a switch there: it ends the watching of an app that is watched, which one that is stopped is not. */
async function restart({ words, tail, ...translation }: Translation, context: Context): Promise<void> {
  const isSwitch = tail.includes('--watch') && !isOneConfig(words, context);
  const client = isSwitch ? await clientIfRunning(context) : undefined;
  const apps = client ? await client.describe({ targets: await knownTargets(context, words) }) : [];
  const isOn =
    apps.length > 0 && apps.every(({ spec, processes }) => spec.watch.length > 0 && processes.some(isRunning));
  const asked = isOn ? tail.map((word) => (word === '--watch' ? '--no-watch' : word)) : tail;
  await usual({ ...translation, words, tail: asked }, context);
}

/** PM2 has more names for init systems, and installs at once if it is root. */
async function boot({ nsv, words, tail }: Translation, context: Context): Promise<void> {
  const install = nsv[0] === 'startup' && process.geteuid?.() === 0 ? ['--install'] : [];
  await context.run([...nsv, ...words.map((word) => initSystems[word] ?? word), ...tail, ...install], context);
}

/** PM2 profiles its own daemon, for a number of seconds. Here the app comes first. */
async function profile(
  { command, words: [target = '', seconds = '10'] }: Translation,
  context: Context,
): Promise<void> {
  const what = command.names[0] === 'profile:mem' ? '--heap' : '--cpu';
  const time = /^\d+$/.test(seconds) ? `${seconds}s` : seconds;
  await context.run(['profile', target, `${what}=${time}`], context);
}

/** In the format of PM2's list. */
async function id({ words }: Translation, context: Context): Promise<void> {
  const client = await clientIfRunning(context);
  const processes = client ? await client.list({ targets: [] }) : [];
  const ids = processes.filter(({ name }) => words.includes(name)).map((process) => process.id);
  context.out.write(ids.length > 0 ? `[ ${ids.join(', ')} ]` : '[]');
}

/** The names of the started apps; empty, which means all, for a config file. */
function namesOf({ nsv, words, tail }: Translation, context: Context): string[] {
  if (isOneConfig(words, context)) return [];
  const name = tail.find((word) => word.startsWith('--name='))?.slice('--name='.length);
  if (name !== undefined) return [name];
  return nsv[0] === 'start' ? words.map((word) => basename(word, extname(word))) : words;
}

function mannered(outer: Context, { silent, colourless }: Translation): Context {
  const introduce: Context['introduce'] = (text) => outer.introduce(() => `${text()} (by nsv-pm2)`);
  const context: Context = { ...outer, dialect: 'pm2', introduce };
  const { out } = context;
  const quieter: Output = {
    get terminal() {
      return colourless ? { ...out.terminal, colour: false } : out.terminal;
    },
    json: out.json,
    dialect: 'pm2',
    write: silent ? () => {} : out.write,
    note: silent ? () => {} : out.note,
    progress: silent ? () => {} : out.progress,
    report: silent ? async () => {} : out.report,
    pass: silent ? async () => {} : out.pass,
    endWithReader: out.endWithReader,
  };
  return { ...context, out: quieter };
}
