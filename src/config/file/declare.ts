// Turns one app of a config file into the settings that a command line would produce.
import { isDeepStrictEqual, parseEnv } from 'node:util';
import { isFile, resolvePath, textIn } from '../../os/programs.ts';
import { fileServer } from '../../shared/code/own-copy.ts';
import { detailOf } from '../../shared/errors.ts';
import { didYouMean, nearest } from '../../shared/nearest.ts';
import { appName, nameFrom } from '../app-name.ts';
import { BadValue } from '../options/parsers.ts';
import { numberedPidFile } from '../pid-file.ts';
import { asInPm2, hasSourceMap, isPreferred, isTolerated } from '../pm2-habits.ts';
import { type Declaration, nameOf } from '../resolve.ts';
import type { RawApp } from './apps.ts';
import { configKeyOf, environmentNameOf, type FileOnly, fileKeys, spellings, spellingsOf } from './keys.ts';
import { leftOutOfApp, unknownToBoth } from './left-out.ts';
import type { Loaded } from './load.ts';
import type { Path } from './mistakes.ts';

export interface DeclaredApp {
  path: Path;
  name: string;
  /** The name in the file is invalid, but other apps may refer to this one by it. */
  isMisnamed: boolean;
  dependsOn: readonly string[];
  /** The program and its arguments. */
  words: [script: string, ...args: string[]];
  settings: Declaration['settings'];
  /** Whether it should run: `autostart`. */
  active: boolean;
  /** The names that `--env` accepts. */
  environments: string[];
}

interface DeclarationDeps extends Pick<Loaded, 'directory' | 'mistakes' | 'dialect'> {
  /** The value of `--env`. */
  environment: string | undefined;
  /** Variables for all apps, below those of the app itself. */
  deployed: Readonly<Record<string, string>> | undefined;
  leaveOut(key: string, reason: string): void;
}

type Values = FileOnly & Declaration['settings'];

/** Returns undefined, and adds at least one mistake, if there is too little to continue with. */
export function declareApp({ path, keys }: RawApp, deps: DeclarationDeps): DeclaredApp | undefined {
  const { mistakes, environment } = deps;
  const { values, environments, failed } = readKeys({ path, keys }, deps);
  const { script, args = [], env, envFile, port, appendEnvToName, autostart, ...more } = values;
  const { disableLogs, sourceMapSupport, ...settings } = more;
  if (script === undefined) {
    if (!failed.has('script')) mistakes.add(path, 'has no "script"');
    return undefined;
  }
  const cwd = resolvePath(deps.directory, settings.cwd ?? '.');
  const name = settings.name ?? failed.get('name') ?? defaultName([script, ...args], cwd, deps);
  // In PM2, `serve` means its file server, unless a file of that name exists.
  const isServer = script === 'serve' && !isFile(resolvePath(cwd, script));
  // In PM2, a map beside the program is used unless the file says not to.
  const isUnwanted = sourceMapSupport === false && deps.dialect === 'pm2' && hasSourceMap(resolvePath(cwd, script));
  const mapFlag = sourceMapSupport ? '--enable-source-maps' : isUnwanted && '--no-enable-source-maps';
  return {
    path,
    name: appendEnvToName && environment !== undefined ? nameFor(name, environment, path, deps) : name,
    isMisnamed: failed.has('name'),
    dependsOn: settings.dependsOn ?? [],
    words: [isServer ? fileServer() : script, ...args],
    settings: {
      ...(isServer && { waitReady: true }),
      ...settings,
      ...(deps.dialect === 'pm2' && settings.pidFile !== undefined && { pidFile: numberedPidFile(settings.pidFile) }),
      cwd,
      configEnv: environment,
      ...(disableLogs && { outFile: '/dev/null', errorFile: '/dev/null', logFile: '/dev/null' }),
      ...(mapFlag && { interpreterArgs: [mapFlag, ...(settings.interpreterArgs ?? [])] }),
      fileEnv: {
        ...deps.deployed,
        ...variablesOf(envFile ?? [], { path, keys }, deps),
        ...(port !== undefined && { PORT: String(port) }),
        ...env,
        ...(environment !== undefined && environments.get(environment)),
      },
    },
    active: autostart ?? true,
    environments: [...environments.keys()],
  };
}

/** What is wrong with a package is reported when the app is resolved. */
function defaultName(words: [string, ...string[]], cwd: string, { dialect }: DeclarationDeps): string {
  try {
    return nameOf(words, cwd, dialect);
  } catch {
    return nameFrom(words[0]);
  }
}

function nameFor(name: string, environment: string, path: Path, { mistakes }: DeclarationDeps): string {
  const full = `${name}-${environment}`;
  try {
    return appName(full);
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    mistakes.add(path, `cannot be called by "append_env_to_name": the name ${error.message}`);
    return full;
  }
}

/** Reads all keys and adds a mistake for each invalid one; `failed` contains those keys. */
function readKeys({ path, keys }: RawApp, { mistakes, leaveOut, dialect }: DeclarationDeps) {
  const values: Record<string, unknown> = {};
  const environments = new Map<string, Record<string, string>>();
  const declared = new Map<string, string>();
  const failed = new Map<string, string>();
  for (const [spelling, value] of Object.entries(keys)) {
    // As in PM2, because `node_args: ''` and `args: process.env.ARGS || ''` are common.
    if (value === undefined || value === null || value === '') continue;
    const environmentName = environmentNameOf(spelling);
    const name = environmentName === undefined ? configKeyOf(spelling) : 'env';
    if (name === undefined) {
      if (spelling.startsWith('x-')) continue;
      const reason = leftOutOfApp[spelling];
      if (reason !== undefined) leaveOut(spelling, reason);
      else if (dialect === 'pm2') leaveOut(spelling, unknownToBoth(spelling, spellings));
      else mistakes.add([...path, spelling], `is not a known key${didYouMean(nearest(spelling, spellings))}`);
      continue;
    }
    // Registered even if its value is invalid, so that `--env` does not report an unknown environment.
    if (environmentName !== undefined) environments.set(environmentName, {});
    const first = declared.get(name);
    const isTwin = first !== undefined && environmentName === undefined && !isDeepStrictEqual(keys[first], value);
    if (isTwin && dialect === 'pm2') {
      const isFirst = isPreferred(first, spelling);
      leaveOut(isFirst ? spelling : first, `"${isFirst ? first : spelling}" is there too`);
      if (isFirst) continue;
    } else if (isTwin) mistakes.add([...path, spelling], `duplicates "${first}" with another value: keep one of them`);
    try {
      const noteIn = (what: string) => leaveOut(`${spelling}: ${what}`, 'use a name, a path or a glob');
      const read = fileKeys[name]!.parse(dialect === 'pm2' ? asInPm2(name, value, noteIn) : value);
      if (environmentName !== undefined) noteSettings(spelling, read as object, leaveOut);
      if (environmentName !== undefined) environments.set(environmentName, read as Record<string, string>);
      else values[name] = read;
    } catch (error) {
      if (!(error instanceof BadValue)) throw error;
      if (dialect === 'pm2' && isTolerated(name, value)) {
        leaveOut(spelling, `it ${error.message}`);
        continue;
      }
      mistakes.add([...path, spelling], error.message);
      if (environmentName === undefined) failed.set(name, String(value));
    }
    if (environmentName === undefined) declared.set(name, spelling);
  }
  return { values: values as Values, environments, failed };
}

/** For example in `env_production: { instances: 4 }`. Programs do read a variable `port`. */
function noteSettings(spelling: string, variables: object, leaveOut: DeclarationDeps['leaveOut']): void {
  for (const key of Object.keys(variables)) {
    if (key === 'port' || configKeyOf(key) === undefined) continue;
    leaveOut(`${spelling}.${key}`, 'it is a variable there, and settings do not depend on --env');
  }
}

/** Of several files the last one wins. */
function variablesOf(
  files: string[],
  { path, keys }: RawApp,
  { directory, mistakes, dialect, leaveOut }: DeclarationDeps,
): Record<string, string> {
  const spelling = spellingsOf('envFile').find((candidate) => candidate in keys)!;
  return Object.assign(
    {},
    ...files.map((file) => {
      try {
        return parseEnv(textIn(resolvePath(directory, file)));
      } catch (error) {
        // PM2 does not know the key.
        if (dialect === 'pm2') leaveOut(spelling, `it cannot be read: ${detailOf(error)}`);
        else mistakes.add([...path, spelling], `cannot be read: ${detailOf(error)}`);
        return {};
      }
    }),
  );
}
