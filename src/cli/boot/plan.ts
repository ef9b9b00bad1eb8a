// Plans what `nsv startup` and `nsv unstartup` act on: one service, in one file, for one user.
import { basename, join, resolve } from 'node:path';
import { userName } from '../../client/caller.ts';
import { findSystemProgram } from '../../os/programs.ts';
import { directoryOfUser, findUser } from '../../os/users.ts';
import { failure } from '../../shared/errors.ts';
import { homeDirectory, homePaths, installed } from '../../shared/paths.ts';
import { shellWord } from '../../shared/shell-word.ts';
import type { Context, HelpRow, Input } from '../command.ts';
import { type Platform, platformOf, platforms } from './platforms.ts';
import type { BootService } from './service.ts';
import { delegating, systemdVersion } from './systemd.ts';

export type Plan = ReturnType<typeof planBoot>;

/** Throws BAD_USAGE and BAD_OPTION. */
export function planBoot({ env }: Context, { words: [word], options }: Input) {
  const platformName = platformOf(word);
  const platform: Platform = platforms[platformName];
  const isRoot = process.geteuid?.() === 0;
  const me = userName();
  const user = text(options.user) ?? (platform.isOfUser || !isRoot ? me : superuser(me, env.SUDO_USER));
  const isMe = user === me;
  if (platform.isOfUser && !isMe)
    rejectOption(`--user ${user} cannot be used with systemd-user: that user has to run the command`);
  const directory = isMe ? homeDirectory() : directoryOf(user, options.home !== undefined);
  // Of another system to write the file for, in which case no command is run.
  const root = typeof options.root === 'string' ? resolve(options.root) : undefined;
  const service: BootService = {
    name: nameOf(text(options.name) ?? defaultName(platform, user)),
    user,
    directory,
    home: homePaths(text(options.home) ?? (isMe ? undefined : join(directory, '.nsv'))).home,
    path: pathWith(process.execPath, env.PATH),
    node: process.execPath,
    main: resolve(process.argv[1] ?? installed.launcher),
    canNotify: findSystemProgram('systemd-notify') !== undefined,
    // Asked for by a unit only. The version of another system is not known, and an old one ignores what it does not know.
    get canDelegate() {
      return root !== undefined || (systemdVersion() ?? 0) >= delegating;
    },
  };
  const file = platform.file(service);
  return { platformName, platform, service, root, isRoot, file: root === undefined ? file : join(root, file) };
}

/** The command line to paste. For root it uses absolute paths and sets the PATH, because sudo has its own. */
export function lineToPaste(
  { platformName, platform, service, root }: Plan,
  command: string,
  ...words: string[]
): string {
  const { node, main, user, home, name } = service;
  const options = [
    ...(platform.isOfUser ? [] : ['--user', user]),
    ...['--home', home],
    ...(name === defaultName(platform, user) ? [] : ['--name', name]),
    ...(root === undefined ? [] : ['--root', root]),
  ];
  const program = platform.isOfUser ? ['nsv'] : [node, main];
  const line = [...program, command, platformName, ...options, ...words].map(shellWord).join(' ');
  return platform.isOfUser ? line : `sudo env PATH="$PATH" ${line}`;
}

function defaultName({ isOfUser }: Platform, user: string): string {
  return isOfUser ? 'nsv' : `nsv-${user}`;
}

/** With sudo, either user may be meant: a wrong guess would start the wrong apps, or none. */
function superuser(me: string, sudoer: string | undefined): string {
  if (!sudoer || sudoer === me) return me;
  const detail = `run by sudo, nsv cannot tell whose apps you mean: use --user ${sudoer} or --user ${me}`;
  throw failure('BAD_USAGE', { detail });
}

function directoryOf(user: string, hasHome: boolean): string {
  if (!findUser(user)?.hasAccount) rejectOption(`--user ${user} is not a user of this machine`);
  const directory = directoryOfUser(user);
  if (directory === undefined && !hasHome) rejectOption(`--home is required: ${user} is not in /etc/passwd`);
  return directory ?? '/';
}

/** The name must be valid as a file name. */
function nameOf(name: string): string {
  if (name === basename(name) && /^[\w.@-]+$/.test(name) && !name.startsWith('.')) return name;
  return rejectOption(`--name may only contain letters, digits, "_", "-", "." and "@", not ${JSON.stringify(name)}`);
}

/** Keeps only absolute directories and adds that of Node, so that apps find the same Node. */
function pathWith(node: string, path = ''): string {
  const directories = path.split(':').filter((directory) => directory.startsWith('/'));
  const own = node.slice(0, -basename(node).length - 1);
  return [...new Set(directories.includes(own) ? directories : [own, ...directories])].join(':');
}

function rejectOption(problem: string): never {
  throw failure('BAD_OPTION', { problems: [problem] });
}

function text(option: Input['options'][string] | undefined): string | undefined {
  return typeof option === 'string' ? option : undefined;
}

export const bootOptions: readonly HelpRow[] = [
  ['-u, --user <name>', 'user whose apps are started (default: you)'],
  ['--home <directory>', 'nsv home (default: $NSV_HOME, or .nsv in the home directory of the user)'],
  ['--name <name>', 'name of the service (default: nsv-<user>; for systemd-user: nsv)'],
  ['--root <directory>', 'root of a system that is not running, such as an image: only write its files'],
];
