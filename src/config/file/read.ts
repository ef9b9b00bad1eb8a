// Reads a whole config file: what it declares, and all its errors.
import type { SearchPlace } from '../../os/programs.ts';
import { realClock } from '../../shared/clock.ts';
import { fileServer } from '../../shared/code/own-copy.ts';
import { NsvError } from '../../shared/errors.ts';
import { didYouMean, nearest } from '../../shared/nearest.ts';
import type { AppSpec } from '../app-spec.ts';
import { sharedEnvironmentOf } from '../environment.ts';
import { tooLittleMemory } from '../memory.ts';
import { BadValue, heapShareOf } from '../options/parsers.ts';
import { type Declaration, resolveApp } from '../resolve.ts';
import { parseServeOptions } from '../serve.ts';
import { rawApps } from './apps.ts';
import { type DeclaredApp, declareApp } from './declare.ts';
import { fileKeys, spellingsOf } from './keys.ts';
import { type ConfigRequest, type Loaded, loadConfig } from './load.ts';
import type { Path } from './mistakes.ts';
import { type Dependent, findCycle } from './order.ts';

export interface LoadedConfig {
  apps: DeclaredApp[];
  /** One sentence for each key that nsv does not support. */
  notes: string[];
  loaded: Loaded;
}

export interface ConfiguredApp extends Dependent {
  spec: AppSpec;
  /** Whether it should run: `autostart`. */
  active: boolean;
}

/** Reads and parses the file. Rejects with BAD_CONFIG. */
export async function readConfig(request: ConfigRequest, at: SearchPlace): Promise<LoadedConfig> {
  return declareConfig(await loadConfig(request, at), request.environment);
}

/** Parses a loaded file or an object. `resolveConfig` reports the errors found here. */
export function declareConfig(loaded: Loaded, environment: string | undefined): LoadedConfig {
  const { mistakes, directory, dialect } = loaded;
  const notes = new Map<string, string>((loaded.notes ?? []).map((note) => [note, note]));
  const leaveOut = (key: string, reason: string) => notes.set(key, `"${key}" has no effect: ${reason}`);
  const deployed = dialect === 'pm2' ? deployedVariables(environment, loaded) : undefined;
  const deps = { environment, directory, mistakes, leaveOut, dialect, deployed };
  const apps = rawApps(loaded, leaveOut).flatMap((raw) => declareApp(raw, deps) ?? []);
  for (const [index, { name, path }] of apps.entries()) {
    const first = apps.findIndex((app) => app.name === name);
    if (first < index) mistakes.add(path, `has the same name as an earlier app, "${name}": choose another "name"`);
  }
  if (!deployed) expectEnvironment(environment, apps, loaded, (note) => notes.set('--env', note));
  for (const { name, settings } of apps) {
    const note = tooLittleMemory(settings);
    if (note !== undefined) notes.set(`memory of ${name}`, note);
  }
  expectDependencies(apps, loaded);
  return { apps, notes: [...notes.values()], loaded };
}

/**
 * Resolves the apps to all that is needed to run them. Rejects with BAD_CONFIG, which contains the errors of
 * `readConfig` as well.
 * @param more settings that override those of the file
 */
export async function resolveConfig(
  { apps, loaded }: LoadedConfig,
  at: SearchPlace,
  more: Declaration['settings'] = {},
  defaults: Declaration['settings'] = {},
): Promise<ConfiguredApp[]> {
  const { mistakes, file } = loaded;
  const resolved: ConfiguredApp[] = [];
  for (const app of apps) {
    const named = app.isMisnamed ? {} : { name: app.name };
    const settings = { ...defaults, ...app.settings, ...named, configFile: file, ...more };
    try {
      const spec = await specOf(app, settings, loaded, at.env);
      await expectTriggers(spec, app, loaded);
      expectDirectory(spec, app, loaded);
      resolved.push({ spec, name: spec.name, dependsOn: spec.dependsOn, active: app.active });
    } catch (error) {
      if (!(error instanceof NsvError)) throw error;
      mistakes.add(placeOf(blamed[error.code]?.[0], app, loaded), textOf(error));
    }
  }
  mistakes.throwIfAny();
  return resolved;
}

/** Looks the program up in the PATH and the directory of the app. */
async function specOf(
  { words }: DeclaredApp,
  settings: Declaration['settings'],
  { dialect }: Loaded,
  env: SearchPlace['env'],
) {
  const { cwd = '.', filterEnv = [], fileEnv = {} } = settings;
  const own = { ...env, ...sharedEnvironmentOf({ env: {}, filterEnv, fileEnv }) };
  return { ...(await resolveApp({ words, settings, cwd, env: own, dialect })), env };
}

/** Checks what the daemon would otherwise reject when half of the apps are already running. */
async function expectTriggers(
  { cronRestart, maxRequests, maxMemoryRestart, node }: AppSpec,
  app: DeclaredApp,
  loaded: Loaded,
) {
  const blame = (key: string, text: string) => loaded.mistakes.add(placeOf(key, app, loaded), text);
  if (maxRequests > 0 && !node) blame('maxRequests', 'works only for Node programs, and this app is not one');
  if (heapShareOf(maxMemoryRestart) !== undefined && !node)
    blame('maxMemoryRestart', 'is a share of the heap of Node, and this app is not a Node program');
  if (cronRestart === undefined) return;
  const { cronProblem } = await import('../cron.ts');
  const problem = cronProblem(cronRestart, new Date(realClock.wall()));
  if (problem !== undefined) blame('cronRestart', problem);
}

/** Checks the directory of a file server. */
function expectDirectory(spec: AppSpec, app: DeclaredApp, loaded: Loaded): void {
  if (spec.script !== fileServer()) return;
  try {
    parseServeOptions(sharedEnvironmentOf(spec), spec.cwd);
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    loaded.mistakes.add(placeOf('env', app, loaded), `is invalid: ${error.message}`);
  }
}

/** For errors that need the whole app to detect: which key caused them, and what to do. */
const blamed: Partial<Record<NsvError['code'], readonly [key: string, remedy: string]>> = {
  NO_SUCH_SCRIPT: ['script', 'relative paths start at "cwd" (default: the directory of the config file)'],
  PROGRAM_UNEXECUTABLE: ['script', 'set "interpreter" to the program that runs it'],
  CANNOT_STRIP_TYPES: ['script', 'use Node 22.18 or newer, or install tsx and add "node_args": "--import tsx"'],
  UNSUPPORTED: ['script', 'name the program itself'],
  NO_PACKAGE_SCRIPT: ['script', 'add it to package.json, or name one that is there'],
  BAD_PACKAGE: ['script', 'correct the file'],
  NO_SUCH_DIRECTORY: ['cwd', 'create it, or choose another one'],
  NO_SUCH_INTERPRETER: ['interpreter', 'install it, or choose another one'],
};

/** The path of a key as the file spells it, or the path of the app if there is no such key. */
function placeOf(name: string | undefined, { path }: DeclaredApp, { value }: Loaded) {
  const app = valueAt(value, path);
  const spelling = name && spellingsOf(name).find((candidate) => candidate in (app as object));
  return spelling ? [...path, spelling] : path;
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce((inner, step) => (inner as Record<string | number, unknown> | null | undefined)?.[step], value);
}

function textOf({ code, message, hint }: NsvError): string {
  if (code === 'BAD_OPTION') return message;
  return `is invalid: ${message}; ${blamed[code]?.[1] ?? hint}`;
}

function expectEnvironment(
  environment: string | undefined,
  apps: DeclaredApp[],
  { mistakes, wasCalled, dialect }: Loaded,
  note: (text: string) => void,
): void {
  const known = [...new Set(apps.flatMap(({ environments }) => environments))];
  if (environment === undefined || wasCalled || apps.length === 0 || known.includes(environment)) return;
  const text = `no app has "env_${environment}" for --env ${environment}${didYouMean(nearest(environment, known))}`;
  if (dialect === 'pm2') note(text);
  else mistakes.add([], text);
}

function expectDependencies(apps: DeclaredApp[], { mistakes }: Loaded): void {
  const names = apps.map(({ name }) => name);
  for (const { path, dependsOn } of apps) {
    for (const needed of dependsOn) {
      if (names.includes(needed)) continue;
      const text = `names "${needed}", which is not an app in this file${didYouMean(nearest(needed, names))}`;
      mistakes.add([...path, 'depends_on'], text);
    }
  }
  const cycle = findCycle(apps);
  if (!cycle) return;
  const { path } = apps.find(({ name }) => name === cycle[0])!;
  mistakes.add([...path, 'depends_on'], `is circular: ${cycle.join(' -> ')}`);
}

/** The variables that PM2 gives to apps: `deploy.<environment>.env`; undefined if there are none. */
function deployedVariables(
  environment: string | undefined,
  { value, mistakes }: Loaded,
): Record<string, string> | undefined {
  if (environment === undefined) return undefined;
  const path = ['deploy', environment, 'env'];
  const variables = valueAt(value, path);
  if (variables === undefined || variables === null) return undefined;
  try {
    return fileKeys.env!.parse(variables) as Record<string, string>;
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    mistakes.add(path, error.message);
    return {};
  }
}
