// Turns what the user typed into a complete description of the app.
import { basename, extname } from 'node:path';
import {
  entryOf,
  findProgram,
  isDirectory,
  isFile,
  isNode,
  isNodeName,
  mainOf,
  resolvePath,
  type SearchPlace,
} from '../os/programs.ts';
import { findGroup, findUser } from '../os/users.ts';
import { failure } from '../shared/errors.ts';
import { nameFrom } from './app-name.ts';
import { type AppSettings, type AppSpec, completeAppSpec, type ProgramSpec } from './app-spec.ts';
import { type Dialect, rejectConfigFile } from './config-file.ts';
import { instanceCount } from './cpus.ts';
import type { InstanceCount } from './options/fields.ts';
import { sourceMapFlags, stopDefaults } from './pm2-habits.ts';
import { findRunner, isBare, type Runner } from './program/interpreter.ts';
import { parseNodeWords } from './program/node-words.ts';

export interface Declaration extends SearchPlace {
  /** A file, a program on the PATH or a whole command line, followed by its arguments. */
  words: readonly string[];
  /** The user's options, already parsed. */
  settings: Omit<AppSettings, 'instances'> & { instances?: InstanceCount };
  /** Default: nsv. */
  dialect?: Dialect | undefined;
}

/** The program and how to run it, before the options are applied. */
interface Program extends Runner {
  script: string;
  args: string[];
  /** The default name of the app. */
  title: string;
}

/**
 * Completes an app: absolute paths, interpreter, number of instances, numeric user and group. Throws BAD_OPTION for
 * users that do not exist, NO_SUCH_DIRECTORY, NO_SUCH_SCRIPT, NO_SUCH_INTERPRETER, CANNOT_STRIP_TYPES, UNSUPPORTED,
 * BAD_USAGE.
 */
export async function resolveApp({ words, settings: given, cwd: here, env, dialect }: Declaration): Promise<AppSpec> {
  const settings = dialect === 'pm2' ? { ...stopDefaults(env), ...given } : given;
  const cwd = findDirectory(resolvePath(here, settings.cwd ?? '.'));
  const resolved = resolveSettings(settings, cwd);
  const { title, ...program } = findWhat(words, { settings, cwd, at: { cwd: here, env }, dialect });
  // As PM2 decides it.
  const execMode = settings.execMode ?? (program.node && settings.instances !== undefined ? 'cluster' : 'fork');
  return completeAppSpec({ ...resolved, ...program, execMode, name: settings.name ?? nameFrom(title), cwd, env });
}

/** Absolute paths, numbers of instances, users and groups. Throws BAD_OPTION for users that do not exist. */
export function resolveSettings(settings: Declaration['settings'], cwd: string): AppSettings {
  const problems = [...problemsOfUsers(settings), ...problemsElsewhere(settings)];
  if (problems.length > 0) throw failure('BAD_OPTION', { problems });
  const { instances, watch, ...others } = settings;
  const paths = (['outFile', 'errorFile', 'logFile', 'pidFile'] as const).flatMap((key) => {
    const path = settings[key];
    return path === undefined ? [] : [[key, resolvePath(cwd, path)]];
  });
  return {
    ...others,
    ...identityOf(settings),
    ...Object.fromEntries(paths),
    ...(instances !== undefined && { instances: instanceCount(instances) }),
    ...(watch && { watch: watch.map((path) => resolvePath(cwd, path)) }),
  };
}

/**
 * Resolves the new program of an existing app. A file of the same kind keeps the interpreter of the old one; any other
 * file is resolved as for a new app. Throws NO_SUCH_DIRECTORY, NO_SUCH_SCRIPT, NO_SUCH_INTERPRETER, CANNOT_STRIP_TYPES,
 * UNSUPPORTED, BAD_OPTION.
 */
export function resolveProgram(
  { script, cwd, interpreter, interpreterArgs, node }: ProgramSpec,
  release: { script?: string | undefined; cwd?: string | undefined },
  at: SearchPlace,
): ProgramSpec {
  const directory = findDirectory(release.cwd === undefined ? cwd : resolvePath(at.cwd, release.cwd));
  if (release.script === undefined) return { script, cwd: directory, interpreter, interpreterArgs, node };
  const file = findFile(release.script, directory, at);
  if (!file) throw failure('NO_SUCH_SCRIPT', { script: release.script });
  const isSameKind = extname(file) === extname(script);
  const runner = isSameKind
    ? findRunner(file, interpreter ?? 'none', interpreterArgs, at)
    : findRunner(file, undefined, [], at);
  return { script: file, cwd: directory, ...runner };
}

function problemsOfUsers({ uid, gid, groups = [] }: Declaration['settings']): string[] {
  const isRoot = process.getuid?.() === 0;
  const strange = groups.filter((group) => findGroup(group) === undefined);
  const isNone = uid === undefined && gid === undefined && groups.length === 0;
  return [
    ...(uid === undefined || findUser(uid) ? [] : [`--uid "${uid}" is not a user of this machine`]),
    ...(gid === undefined || findGroup(gid) !== undefined ? [] : [`--gid "${gid}" is not a group of this machine`]),
    ...strange.map((group) => `--groups "${group}" is not a group of this machine`),
    ...(isNone || isRoot ? [] : ['only root can use --uid, --gid and --groups']),
  ];
}

/** What only Linux has. The shells of other systems count the sizes of `core` and `fsize` in blocks of their own. */
export function problemsElsewhere(
  { oomScoreAdj, ulimit = [] }: Declaration['settings'],
  system: NodeJS.Platform = process.platform,
): string[] {
  if (system === 'linux') return [];
  const sizes = ulimit.filter((limit) => /^(core|fsize)=.*[1-9]/.test(limit));
  return [
    ...(oomScoreAdj === undefined ? [] : [`--oom-score-adj ${oomScoreAdj} works on Linux only, not on ${system}`]),
    ...sizes.map((limit) => `--ulimit ${limit} works on Linux only; on ${system} it can be 0 or unlimited`),
  ];
}

/** Converts names to numbers: saved apps mean the same to every reader, and the daemon needs no look-up. */
function identityOf({ uid, gid, groups }: Declaration['settings']): Pick<AppSettings, 'uid' | 'gid' | 'groups'> {
  const user = uid === undefined ? undefined : findUser(uid);
  const group = gid === undefined ? user?.gid : findGroup(gid);
  return {
    ...(user && { uid: String(user.uid) }),
    ...(group !== undefined && { gid: String(group) }),
    ...(groups && { groups: [...new Set(groups.map((word) => String(findGroup(word))))] }),
  };
}

function findDirectory(directory: string): string {
  if (isDirectory(directory)) return directory;
  throw failure('NO_SUCH_DIRECTORY', { directory });
}

/** Finds a file relative to the user's directory, else to the app's. Throws like `rejectConfigFile`. */
function findFile(word: string, cwd: string, at: SearchPlace): string | undefined {
  const places = [resolvePath(at.cwd, word), resolvePath(cwd, word)];
  const file = places.find(isFile) ?? places.filter(() => isPath(word)).flatMap((place) => mainOf(place) ?? [])[0];
  if (file) rejectConfigFile(file);
  return file;
}

/** `.` and `./service/` are directories; `service` is an app or a program. */
function isPath(word: string): boolean {
  return word === '.' || word.includes('/');
}

interface Place {
  settings: Declaration['settings'];
  /** The directory of the app. */
  cwd: string;
  /** That of the user. */
  at: SearchPlace;
  dialect: Dialect | undefined;
}

/** Resolves the word to a file, else a program, else a shell command. */
function findWhat([word = '', ...args]: readonly string[], place: Place): Program {
  const { settings, cwd, at, dialect } = place;
  const { interpreter, interpreterArgs = [] } = settings;
  const script = findFile(word, cwd, at);
  if (script && isNode(script)) return programOnPath(script, args, place);
  if (script) {
    const path = resolvePath(at.cwd, word);
    const title = isDirectory(path) ? basename(path) : plainName(script);
    const runner = interpreter ?? (dialect === 'pm2' && isBare(script) ? 'node' : undefined);
    const found = findRunner(script, runner, interpreterArgs, at);
    const maps = dialect === 'pm2' && found.node ? sourceMapFlags(script, found.interpreterArgs) : [];
    return { ...found, interpreterArgs: [...maps, ...found.interpreterArgs], script, args, title };
  }

  const program = findProgram(word, at);
  if (program) return programOnPath(program, args, place);
  if (/\S\s/.test(word)) return commandLine(word, args, place);
  throw failure('NO_SUCH_SCRIPT', { script: word });
}

/**
 * A program on the PATH is executed as it is, even if it is written for Node: npm, npx, tsx and the like start the real
 * program as a child, so a preload in the parent would not help the child's sockets. Only `node` itself, followed by a
 * file, is run as a Node app.
 */
function programOnPath(program: string, args: string[], { settings, cwd, at }: Place): Program {
  const { interpreter = 'none', interpreterArgs = [] } = settings;
  const words = settings.interpreter === undefined && isNode(program) ? parseNodeWords(args) : undefined;
  const file =
    words && [at.cwd, cwd].map((directory) => entryOf(resolvePath(directory, words.script))).find((entry) => entry);
  if (words && file) {
    const runner = findRunner(file, program, [...words.options, ...interpreterArgs], at);
    return { ...runner, script: file, args: words.args, title: plainName(file) };
  }
  return { ...findRunner(program, interpreter, interpreterArgs, at), script: program, args, title: plainName(program) };
}

/** Extra arguments are appended to the last command of the line. `node app.js` needs no shell. */
function commandLine(line: string, args: string[], place: Place): Program {
  const words = wordsOfNode(line);
  const node = words && findProgram(words[0]!, place.at);
  if (node) return programOnPath(node, [...words.slice(1), ...args], place);
  const shell = args.length === 0 ? ['-c', line] : ['-c', `${line} "$@"`, 'sh', ...args];
  const title = plainName(line.trim().split(/\s/, 1)[0]!);
  return { interpreter: undefined, interpreterArgs: [], node: false, script: '/bin/sh', args: shell, title };
}

function plainName(path: string): string {
  return basename(path, extname(path));
}

/** The words of a command line that Node begins; undefined if a shell might do something with it. */
function wordsOfNode(line: string): string[] | undefined {
  const words = line.trim().split(/\s+/);
  return isNodeName(words[0]!) && /^[\w\s./:=@,+-]+$/.test(line) ? words : undefined;
}

/** The default name of an app: its file, or the first word of its command line. */
export function nameOf(script: string, args: readonly string[]): string {
  const words = isNodeName(script) ? [script] : wordsOfNode(script);
  const named = words && parseNodeWords([...words.slice(1), ...args])?.script;
  return nameFrom(plainName(named ?? script.trim().split(/\s/, 1)[0]!));
}
