// Turns what the user typed into a complete description of the app.
import { existsSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
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
import { failure } from '../shared/errors.ts';
import { nameFrom } from './app-name.ts';
import { type AppSettings, type AppSpec, completeAppSpec, expectNodeFor, type ProgramSpec } from './app-spec.ts';
import { type Dialect, isPackageFile, rejectConfigFile } from './config-file.ts';
import { withPath } from './environment.ts';
import { type InstanceCount, instanceCount } from './instances.ts';
import { expectPossible, identityOf } from './machine-settings.ts';
import { tooLittleMemory } from './memory.ts';
import { pm2Defaults, sourceMapFlags } from './pm2-habits.ts';
import { findRunner, isBare, type Runner } from './program/interpreter.ts';
import { parseNodeWords } from './program/node-words.ts';
import { isBinPath } from './program/scripts/bins.ts';
import { type Followed, follow, noScript, noticeOn, withoutWords } from './program/scripts/follow.ts';
import { isManager } from './program/scripts/package-command.ts';
import { binDirectories, findBin, packageIn } from './program/scripts/packages.ts';
import { type PlainLine, parsePlainLine } from './program/scripts/plain-line.ts';
import { noSuchScript } from './program/similar-file.ts';

export interface Declaration extends SearchPlace {
  /** A file, a program on the PATH or a whole command line, followed by its arguments. */
  words: readonly string[];
  /** The user's options, already parsed. */
  settings: Omit<AppSettings, 'instances'> & { instances?: InstanceCount };
  /** Default: nsv. */
  dialect?: Dialect | undefined;
  /** Is told what is run instead of the words, or why a package script is run as it is. */
  notice?: ((text: string) => void) | undefined;
}

/** The program and how to run it, before the options are applied. */
interface Program extends Runner {
  script: string;
  args: string[];
  /** The default name of the app. */
  title: string;
  /** Where a script of a package runs. Default: the directory of the app. */
  cwd?: string;
  fileEnv?: Record<string, string>;
  binPath?: string[];
}

/**
 * Completes an app: absolute paths, interpreter, number of instances, numeric user and group. Throws BAD_OPTION for
 * users that do not exist, NO_SUCH_DIRECTORY, NO_SUCH_SCRIPT, NO_SUCH_INTERPRETER, NO_PACKAGE_SCRIPT, BAD_PACKAGE,
 * CANNOT_STRIP_TYPES, UNSUPPORTED, BAD_USAGE.
 */
export async function resolveApp(declaration: Declaration): Promise<AppSpec> {
  const { words, settings: given, cwd: here, env, dialect, notice = () => {} } = declaration;
  const settings = dialect === 'pm2' ? { ...pm2Defaults(env), ...given } : given;
  const from = findDirectory(resolvePath(here, settings.cwd ?? '.'));
  expectPossible(settings);
  const place = { settings, cwd: from, at: { cwd: here, env, uid: settings.uid }, dialect };
  const noticeIfAny = (text: string | undefined) => text !== undefined && notice(text);
  noticeIfAny(tooLittleMemory(settings));
  const { title, cwd = from, ...program } = findWhat(words, { ...place, notice: noticeIfAny });
  const resolved = resolveSettings(settings, cwd);
  // As PM2 decides it.
  const execMode = settings.execMode ?? (program.node && settings.instances !== undefined ? 'cluster' : 'fork');
  const name = settings.name ?? nameFrom(title);
  return expectNodeFor(completeAppSpec({ ...resolved, ...program, execMode, name, cwd, env }));
}

/** Absolute paths, numbers of instances, users and groups, all of which `expectPossible` has checked. */
export function resolveSettings(settings: Declaration['settings'], cwd: string): AppSettings {
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
  if (!file) throw noSuchScript(release.script, directory);
  const isSameKind = extname(file) === extname(script);
  const runner = isSameKind
    ? findRunner(file, interpreter ?? 'none', interpreterArgs, at)
    : findRunner(file, undefined, [], at);
  return { script: file, cwd: directory, ...runner };
}

function findDirectory(directory: string): string {
  if (isDirectory(directory)) return directory;
  throw failure('NO_SUCH_DIRECTORY', { directory });
}

/** Finds a file relative to the user's directory, else to the app's. Throws like `rejectConfigFile`. */
function findFile(word: string, cwd: string, at: SearchPlace, dialect?: Dialect): string | undefined {
  const places = [resolvePath(at.cwd, word), resolvePath(cwd, word)];
  const file =
    places.find(isFile) ??
    places.filter(() => isPath(word) || dialect === 'pm2').flatMap((place) => mainOf(place) ?? [])[0];
  if (file) rejectConfigFile(file);
  return file;
}

/** `.` and `./service/` are directories; `service` is an app or a program. */
function isPath(word: string): boolean {
  return word === '.' || word === '..' || word.includes('/');
}

interface Place {
  settings: Declaration['settings'];
  /** The directory of the app. */
  cwd: string;
  /** That of the user. */
  at: SearchPlace;
  dialect: Dialect | undefined;
  notice: (text: string | undefined) => void;
}

/** Resolves the word to a script of a package, a file, a program, or a shell command. */
function findWhat(typed: readonly string[], place: Place): Program {
  const [word = '', ...args] = startWordsOf(typed, place) ?? typed;
  const { settings, cwd, at, dialect } = place;
  const { interpreter, interpreterArgs = [] } = settings;
  const script = findFile(word, cwd, at, dialect);
  if (script && isNode(script)) return programOnPath(script, args, place);
  if (script && interpreter === undefined && isBinPath(script)) return commandOf([script, ...args], typed, place);
  if (script) {
    const path = resolvePath(at.cwd, word);
    const title = isDirectory(path) ? basename(path) : plainName(script);
    const runner = interpreter ?? (dialect === 'pm2' && isBare(script) ? 'node' : undefined);
    const found = findRunner(script, runner, interpreterArgs, at, cwd);
    const maps = dialect === 'pm2' && found.node ? sourceMapFlags(script, found.interpreterArgs) : [];
    return { ...found, interpreterArgs: [...maps, ...found.interpreterArgs], script, args, title };
  }

  if (isManager(word) && !args[0] && !interpreter && dialect !== 'pm2') throw withoutWords(word);
  if (findProgram(word, at) || findBin(word, { ...at, cwd }) || isManager(word))
    return commandOf([word, ...args], typed, place);
  if (/\S\s/.test(word)) return commandLine(word, args, place);
  throw noSuchScript(word, at.cwd);
}

/** For a directory of a package, or its package.json: the command line of its script `start`. Throws NO_PACKAGE_SCRIPT. */
function startWordsOf(
  [word = '', ...args]: readonly string[],
  { settings, cwd, at }: Pick<Place, 'settings' | 'cwd' | 'at'>,
): string[] | undefined {
  if (settings.interpreter !== undefined || !(isPath(word) || isPackageFile(word))) return undefined;
  const path = [at.cwd, cwd].map((directory) => resolvePath(directory, word)).find(existsSync);
  if (path === undefined) return undefined;
  const directory = isPackageFile(path) ? dirname(path) : path;
  const own = isDirectory(directory) ? packageIn(directory) : undefined;
  if (own?.scripts.start !== undefined) return ['npm', '--prefix', directory, 'start', '--', ...args];
  const main = isPackageFile(path) ? mainOf(directory) : undefined;
  if (main !== undefined) return [main, ...args];
  if (own && isPackageFile(path)) throw noScript(own, 'start');
  return undefined;
}

/** A command line without a shell. What starts Node in the end is run as a Node app, anything else as it is. */
function commandOf(
  words: readonly [string, ...string[]],
  typed: readonly string[],
  place: Place,
  line?: PlainLine,
): Program {
  const { cwd, at, settings } = place;
  const followed = settings.interpreter === undefined ? follow(words, { cwd, env: at.env }) : undefined;
  const binPath = binDirectories({ ...at, cwd: followed?.cwd ?? cwd });
  const addNotice = (about: Followed) => place.notice(noticeOn(about, typed, instanceCount(settings.instances ?? 1)));
  const title = titleIn(place.dialect, words[0], followed);
  const direct = followed?.words && directProgram(followed, place, title);
  if (direct) {
    addNotice(followed);
    const assigned = { ...line?.variables, ...followed.assigned };
    return { ...direct, fileEnv: { ...followed.given, ...settings.fileEnv, ...assigned }, cwd: followed.cwd, binPath };
  }
  const why = followed?.words && followed.script !== undefined ? 'the file that it runs does not exist' : followed?.why;
  if (followed) addNotice({ ...followed, words: undefined, why });
  const named = title === undefined ? {} : { title: nameFrom(title) };
  if (line) return { ...inShell(typed[0]!, typed.slice(1)), ...named, binPath };
  const program = findProgram(words[0], at) ?? findBin(words[0], { ...at, cwd });
  if (!program) throw noSuchScript(words[0], at.cwd);
  return { ...programOnPath(program, words.slice(1), place), ...named };
}

/** In PM2, an app has the name of the first word, whatever that starts. */
function titleIn(dialect: Dialect | undefined, word: string, followed: Followed | undefined): string | undefined {
  return dialect === 'pm2' && !isNodeName(word) ? plainName(word) : followed?.title;
}

/** Undefined if Node runs no file. */
function directProgram({ words, cwd }: Followed, place: Place, title: string | undefined): Program | undefined {
  const [node = '', ...args] = words ?? [];
  const from = { ...place.at, cwd };
  const at = { ...from, env: withPath(binDirectories(from), from.env) };
  const found = programOnPath(findProgram(node, at) ?? process.execPath, args, { ...place, cwd, at });
  return found.node ? { ...found, title: title ?? found.title } : undefined;
}

/** Executes a program as it is. Only `node` itself, followed by a file, is run as a Node app. */
function programOnPath(program: string, args: string[], { settings, cwd, at }: Place): Program {
  const { interpreter = 'none', interpreterArgs = [] } = settings;
  const words = settings.interpreter === undefined && isNode(program) ? parseNodeWords(args) : undefined;
  const file =
    words && [at.cwd, cwd].map((directory) => entryOf(resolvePath(directory, words.script))).find((entry) => entry);
  if (words && file) {
    const runner = findRunner(file, program, [...words.options, ...interpreterArgs], at);
    return { ...runner, script: file, args: words.args, title: plainName(file) };
  }
  const found = findRunner(program, interpreter, interpreterArgs, at, cwd);
  return { ...found, script: program, args, title: plainName(program) };
}

/** Extra arguments are appended to the last command of the line. */
function commandLine(text: string, args: string[], place: Place): Program {
  const line = parsePlainLine(text);
  if (line) return commandOf([...line.words, ...args], [text, ...args], place, line);
  return { ...inShell(text, args), binPath: binDirectories({ ...place.at, cwd: place.cwd }) };
}

function inShell(line: string, args: readonly string[]): Program {
  const shell = args.length === 0 ? ['-c', line] : ['-c', `${line} "$@"`, 'sh', ...args];
  const title = plainName(line.trim().split(/\s/, 1)[0]!);
  return { interpreter: undefined, interpreterArgs: [], node: false, script: '/bin/sh', args: shell, title };
}

function plainName(path: string): string {
  return basename(path, extname(path));
}

/** The default name of an app: its package and script, its file, or the first word of its command line. */
export function nameOf(typed: readonly [string, ...string[]], cwd: string, dialect?: Dialect): string {
  const place = { settings: {}, cwd, at: { cwd, env: {} } };
  const [word = '', ...args] = startWordsOf(typed, place) ?? typed;
  const line = isFile(resolvePath(cwd, word)) ? undefined : parsePlainLine(word);
  const followed = line && follow([...line.words, ...args], { cwd, env: {} });
  const file = followed?.words && parseNodeWords(followed.words.slice(1))?.script;
  const title = line && titleIn(dialect, line.words[0], followed);
  return nameFrom(title ?? plainName(file ?? word.trim().split(/\s/, 1)[0]!));
}
