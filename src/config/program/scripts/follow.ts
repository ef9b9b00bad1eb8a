// Follows a command line through package managers, scripts of package.json and wrappers to the Node program in the end.
import { basename, join, relative, resolve } from 'node:path';
import { findProgram, isFile, isNodeName, type SearchPlace } from '../../../os/programs.ts';
import { failure } from '../../../shared/errors.ts';
import { isBinPath, parseTsxWords, runners, startsAnother, titleOf } from './bins.ts';
import { isManager, type PackageCommand, parsePackageCommand } from './package-command.ts';
import {
  expectOwnPackage,
  findBin,
  nearestPackage,
  nodeBinOf,
  type Package,
  pnpOptions,
  tsxLoader,
} from './packages.ts';
import { parsePlainLine, withoutAssignments } from './plain-line.ts';

export interface Followed {
  /** A command line of Node: what is run in the end. Undefined if the words are run as they are. */
  words: [node: string, ...args: string[]] | undefined;
  /** Where it is run. */
  cwd: string;
  /** What npm would set. */
  given: Record<string, string>;
  /** What is assigned on the way. */
  assigned: Record<string, string>;
  /** The default name of the app, if the words give one. */
  title?: string | undefined;
  /** The script of package.json that was looked up first. */
  script?: string | undefined;
  /** Its package.json, if that is in a directory above. */
  above?: string | undefined;
  /** Why the words are run as they are. */
  why?: string | undefined;
}

/** A script may name another, and that the first one. */
const mostSteps = 10;

/** Throws NO_PACKAGE_SCRIPT, BAD_PACKAGE and CONFIG_OF_OTHERS. */
export function follow(words: readonly string[], at: SearchPlace, steps = mostSteps): Followed {
  const [first = '', ...args] = words;
  if (steps === 0) return asIs(at, 'the scripts call each other');
  if (isNodeName(first)) return { ...asIs(at), words: [first, ...args] };
  if (first === 'cross-env') {
    const { variables, words: rest } = withoutAssignments(args);
    const inner = follow(rest, at, steps - 1);
    return { ...inner, assigned: { ...variables, ...inner.assigned } };
  }
  const command = parsePackageCommand(words);
  if (command && first === 'yarn') return withPnp(followCommand(command, at, steps), at);
  if (command) return followCommand(command, at, steps);
  if (isManager(first)) {
    expectOwnPackage(at);
    return asIs(at, `nsv does not know what ${first} starts there`);
  }
  const bin = binOf(first, at);
  return bin === undefined ? asIs(at) : followBin(bin, args, at);
}

function withPnp(followed: Followed, at: SearchPlace): Followed {
  const [node, ...args] = followed.words ?? [];
  const options = pnpOptions({ ...at, cwd: followed.cwd });
  // Yarn may have been called by another script of Yarn.
  return node === undefined || args.includes(options[1]!)
    ? followed
    : { ...followed, words: [node, ...options, ...args] };
}

function asIs({ cwd }: SearchPlace, why?: string): Followed {
  return { words: undefined, cwd, given: {}, assigned: {}, why };
}

function followCommand(command: PackageCommand, at: SearchPlace, steps: number): Followed {
  const { kind, name, args, directory = '.' } = command;
  const place = { ...at, cwd: resolve(at.cwd, directory) };
  expectOwnPackage(place);
  const found = kind === 'program' ? undefined : nearestPackage(place.cwd);
  const script = found && scriptIn(found, name);
  const above = found && found.directory !== place.cwd ? { above: found.file } : {};
  if (found && script !== undefined) return { ...followScript(found, { name, script, args }, place, steps), ...above };
  if (kind !== 'script') return followProgram(name, args, place, steps);
  // The manager itself says what is wrong without a package.
  if (!found) return asIs(at);
  throw noScript(found, name);
}

export function noScript({ file, scripts }: Package, script: string) {
  return failure('NO_PACKAGE_SCRIPT', { script, file, others: Object.keys(scripts) });
}

/** npm has a default for `start`. */
function scriptIn({ scripts, directory }: Package, name: string): string | undefined {
  if (Object.hasOwn(scripts, name)) return scripts[name];
  return name === 'start' && isFile(join(directory, 'server.js')) ? 'node server.js' : undefined;
}

function followProgram(name: string, args: string[], at: SearchPlace, steps: number): Followed {
  const inner = follow([name, ...args], at, steps - 1);
  return { ...inner, title: inner.title ?? name };
}

interface Script {
  name: string;
  script: string;
  args: string[];
}

function followScript(own: Package, { name, script, args }: Script, at: SearchPlace, steps: number): Followed {
  const title = titleOf(own.name, name);
  const unfollowed = (why: string) => ({ ...asIs(at, why), title, script: name });
  const around = [`pre${name}`, `post${name}`].find((other) => Object.hasOwn(own.scripts, other));
  if (around !== undefined) return unfollowed(`package.json also has a script "${around}"`);
  const line = parsePlainLine(script);
  if (!line) return unfollowed(`"${script}" needs a shell`);
  const inner = follow([...line.words, ...args], { ...at, cwd: own.directory }, steps - 1);
  if (!inner.words) return unfollowed(inner.why ?? `"${script}" does not start Node`);
  return {
    ...inner,
    title,
    script: name,
    given: { ...inner.given, ...variablesOf(own, { name, script, args }, at.cwd) },
    assigned: { ...line.variables, ...inner.assigned },
  };
}

/** https://docs.npmjs.com/cli/using-npm/scripts#environment */
function variablesOf({ file, name, version, config }: Package, { name: event, script }: Script, from: string) {
  return {
    npm_package_json: file,
    npm_package_name: name,
    npm_package_version: version,
    ...Object.fromEntries(Object.entries(config).map(([key, value]) => [`npm_package_config_${key}`, String(value)])),
    npm_command: event === 'start' ? 'start' : 'run-script',
    npm_lifecycle_event: event,
    npm_lifecycle_script: script,
    INIT_CWD: from,
  };
}

/** A path into a node_modules/.bin, or a name in one. The runners of files are known also where they are installed for all. */
function binOf(word: string, { cwd, env }: SearchPlace): string | undefined {
  if (isBinPath(word)) return isFile(resolve(cwd, word)) ? resolve(cwd, word) : undefined;
  if (word.includes('/') || word === '') return undefined;
  return findBin(word, { cwd, env }) ?? (runners.includes(word) ? findProgram(word, { cwd, env }) : undefined);
}

function followBin(bin: string, args: string[], at: SearchPlace): Followed {
  const name = basename(bin);
  if (name === 'tsx') {
    const words = parseTsxWords(args);
    if (!words) return asIs(at, 'tsx does more here than run a file');
    const options = ['--import', tsxLoader(bin, at.cwd), ...words.options];
    const title = fileTitle(words.words.slice(0, 1));
    return { ...asIs(at), words: ['node', ...options, ...words.words], assigned: words.variables, title };
  }
  const node = nodeBinOf(bin);
  if (!node) return asIs(at, `"${name}" is not written for Node`);
  if (startsAnother(name, args)) return asIs(at, `"${name}" starts another process`);
  const title = runners.includes(name) ? fileTitle(args) : undefined;
  return { ...asIs(at), words: ['node', ...node.options, node.file, ...args], given: node.variables, title };
}

/** An app that is run from a file has its name. */
function fileTitle(words: readonly string[]): string | undefined {
  const file = words.find((word) => /\.[cm]?[jt]sx?$/.test(word));
  return file && basename(file).replace(/\.\w+$/, '');
}

/** The error for a package manager alone. */
export function withoutWords(manager: string): Error {
  const detail = `${manager} needs a command, as in "nsv start ${manager} ${manager === 'npx' ? 'tsx app.ts' : 'start'}"`;
  return failure('BAD_USAGE', { detail });
}

/** What nsv says about it, in one line; undefined if it runs what was typed. `instances`: how many processes are wanted. */
export function noticeOn(
  { words, cwd, script, above, why }: Followed,
  typed: readonly string[],
  instances: number,
): string | undefined {
  const about = script === undefined ? undefined : `the script "${script}" of ${above ?? 'package.json'}`;
  if (!words) {
    if (why === undefined) return undefined;
    const unshared = instances > 1 ? `, and its ${instances} processes cannot share a port` : '';
    return `runs "${typed.join(' ')}" as it is, with a gap at each reload${unshared}: ${about ? `${about}: ` : ''}${why}`;
  }
  if (!about && (isNodeName(typed[0] ?? '') || words.includes(resolve(cwd, typed[0] ?? '')))) return undefined;
  const text = words.map((word) => (word.startsWith(`${cwd}/`) ? relative(cwd, word) : word)).join(' ');
  return about ? `runs "${text}", ${about}` : `runs "${text}" for "${typed.join(' ')}"`;
}
