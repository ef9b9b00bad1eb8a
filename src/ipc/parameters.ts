// Parsers of method parameters: what the daemon accepts from a client.
import { isAbsolute } from 'node:path';
import { parseAppSpec, parseProgramSpec } from '../config/app-spec.ts';
import { mostInstances } from '../config/instances.ts';
import { booleanFlag, environment, integer, oneOf, signalName } from '../config/options/parsers.ts';
import { detailOf, failure } from '../shared/errors.ts';
import { parseRuntimeKey, parseRuntimeValues } from './app/runtime-settings.ts';
import type { RuntimeValues } from './app/views.ts';
import type { MethodName, Params } from './protocol.ts';
import { parseQuestion } from './questions.ts';

/** Milliseconds that `inspect` waits for a process to take up a question. */
const longestTimeout = 60_000;

/** The socket is a trust boundary: parse, don't cast. Each parser throws an error that says what is wrong. */
export const parameters: { [N in MethodName]: (input: unknown) => Params<N> } = {
  ping: nothing,
  health: nothing,
  list: targets,
  describe: targets,
  logs: targets,
  deaths: remembering,
  rotateLogs: targets,
  reopenLogs: targets,
  launch: launching,
  start: (input) => ({ ...renewing(input), wait: bool(object(input), 'wait', true) }),
  stop: targets,
  restart: renewing,
  reload: reloading,
  update: updating,
  delete: targets,
  scale: scaling,
  signal: (input) => ({ ...targets(input), signal: signalName(object(input).signal) }),
  send: sending,
  trigger: triggering,
  follow: (input) => ({ ...targets(input), journal: bool(object(input), 'journal', false) }),
  inspect: inspecting,
  runtimeSettings: (input) => ({ ...targets(input), secrets: bool(object(input), 'secrets', false) }),
  changeRuntimeSettings: changingSettings,
  queues: nothing,
  reset: targets,
  save: saving,
  resurrect: nothing,
  upgrade: upgrading,
  kill: nothing,
};

function object(input: unknown): Record<string, unknown> {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input as Record<string, unknown>;
  throw new TypeError('the parameters must be an object');
}

function nothing(_input: unknown): Params<'ping'> {
  return {};
}

function targets(input: unknown): Params<'list'> {
  const { targets: words } = object(input);
  if (Array.isArray(words) && words.every((word) => typeof word === 'string' && word !== '')) return { targets: words };
  throw new TypeError('"targets" must be a list of non-empty strings');
}

function remembering(input: unknown): Params<'deaths'> {
  const { number, details = false } = object(input);
  const one = number === undefined ? {} : { number: integer(1)(number) };
  return { ...targets(input), ...one, details: booleanFlag(details) };
}

function renewing(input: unknown): Params<'restart'> {
  const { env } = object(input);
  return env === undefined ? targets(input) : { ...targets(input), env: environment(env) };
}

function reloading(input: unknown): Params<'reload'> {
  const { parallel = 1, program, ...given } = object(input);
  const runningOnly = bool(given, 'runningOnly', false);
  const renewal = {
    ...renewing(input),
    parallel: integer(1, mostInstances)(parallel),
    ...(runningOnly && { runningOnly }),
  };
  return program === undefined ? renewal : { ...renewal, program: parseProgramSpec(program) };
}

function launching(input: unknown): Params<'launch'> {
  const given = object(input);
  return {
    app: parseAppSpec(given.app),
    wait: bool(given, 'wait', true),
    force: bool(given, 'force', false),
    active: bool(given, 'active', true),
  };
}

function updating(input: unknown): Params<'update'> {
  const { app, target, how = 'reload', parallel = 1, renewEnv = false } = object(input);
  if (target !== undefined && (typeof target !== 'string' || target === ''))
    throw new TypeError('"target" must be a non-empty string');
  return {
    app: parseAppSpec(app),
    ...(target !== undefined && { target }),
    how: oneOf('restart', 'reload')(how),
    parallel: integer(1, mostInstances)(parallel),
    renewEnv: booleanFlag(renewEnv),
  };
}

function scaling(input: unknown): Params<'scale'> {
  const { instances } = object(input);
  const isCount = Number.isInteger(instances) && (instances as number) >= 0 && (instances as number) <= mostInstances;
  const isChange = typeof instances === 'string' && /^[+-]\d{1,5}$/.test(instances);
  if (isCount || isChange) return { ...targets(input), instances: instances as number | string };
  throw new TypeError(`"instances" must be a whole number up to ${mostInstances}, or a change such as "+2" or "-1"`);
}

function sending(input: unknown): Params<'send'> {
  const { text } = object(input);
  if (typeof text === 'string') return { ...targets(input), text };
  throw new TypeError('"text" must be a string');
}

function triggering(input: unknown): Params<'trigger'> {
  const { action, param } = object(input);
  if (typeof action !== 'string' || action === '') throw new TypeError('"action" must be the name of an action');
  if (param !== undefined && typeof param !== 'string') throw new TypeError('"param" must be a string');
  return { ...targets(input), action, ...(param !== undefined && { param }) };
}

function inspecting(input: unknown): Params<'inspect'> {
  const given = object(input);
  return {
    id: whole('id', given.id),
    key: whole('key', given.key),
    ...(given.pid !== undefined && { pid: whole('pid', given.pid) }),
    question: parseQuestion(given.question),
    timeout: whole('timeout', given.timeout, longestTimeout),
  };
}

function changingSettings(input: unknown): Params<'changeRuntimeSettings'> {
  const { set, unset, file } = object(input);
  const change = {
    ...targets(input),
    ...(set !== undefined && { set: runtimeValues(set) }),
    ...(unset !== undefined && { unset: list('unset', unset).map(parseRuntimeKey) }),
  };
  if (file === undefined) return change;
  if (file !== null && (typeof file !== 'string' || !isAbsolute(file)))
    throw new TypeError('"file" must be an absolute path, or null');
  if (file !== null && (set !== undefined || unset !== undefined))
    throw new TypeError('"file" excludes "set" and "unset"');
  return { ...change, file };
}

/** Throws BAD_SETTINGS. */
function runtimeValues(input: unknown): RuntimeValues {
  try {
    return parseRuntimeValues(input);
  } catch (cause) {
    throw failure('BAD_SETTINGS', { problem: detailOf(cause) }, { cause });
  }
}

function list(name: string, value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  throw new TypeError(`"${name}" must be a list`);
}

function saving(input: unknown): Params<'save'> {
  const given = object(input ?? {});
  const auto = given.auto === undefined ? {} : { auto: bool(given, 'auto', false) };
  const empty = given.empty === undefined ? {} : { empty: bool(given, 'empty', false) };
  return { ...auto, ...empty, force: bool(given, 'force', false) };
}

function upgrading(input: unknown): Params<'upgrade'> {
  const { command, env } = object(input);
  const [program, ...args]: unknown[] = Array.isArray(command) ? command : [];
  if (typeof program !== 'string' || !args.every((word) => typeof word === 'string'))
    throw new TypeError('"command" must be a list: a program and its arguments');
  return { command: [program, ...args], env: environment(env) };
}

function whole(name: string, value: unknown, most = Number.MAX_SAFE_INTEGER): number {
  if (Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= most) return value as number;
  throw new TypeError(`"${name}" must be a whole number${most < Number.MAX_SAFE_INTEGER ? ` up to ${most}` : ''}`);
}

function bool(from: Record<string, unknown>, key: string, otherwise: boolean): boolean {
  const value = from[key] ?? otherwise;
  if (typeof value === 'boolean') return value;
  throw new TypeError(`"${key}" must be true or false`);
}
