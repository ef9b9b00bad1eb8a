// Parsers of method parameters: what the daemon accepts from a client.
import { parseAppSpec, parseProgramSpec } from '../config/app-spec.ts';
import { mostInstances } from '../config/options/fields.ts';
import { environment, flag, integer, oneOf, signalName } from '../config/options/parsers.ts';
import type { MethodName, Params } from './protocol.ts';

/** The socket is a trust boundary: parse, don't cast. Each parser throws an error that says what is wrong. */
export const parameters: { [N in MethodName]: (input: unknown) => Params<N> } = {
  ping: nothing,
  list: targets,
  describe: targets,
  logs: targets,
  rotateLogs: targets,
  reopenLogs: targets,
  launch: launching,
  start: waiting,
  stop: targets,
  restart: renewing,
  reload: reloading,
  update: updating,
  delete: targets,
  scale: scaling,
  signal: signalling,
  send: sending,
  trigger: triggering,
  follow: targets,
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

function waiting(input: unknown): Params<'start'> {
  return { ...renewing(input), wait: bool(object(input), 'wait', true) };
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
  const { app, how = 'reload', parallel = 1, renewEnv = false } = object(input);
  return {
    app: parseAppSpec(app),
    how: oneOf('restart', 'reload')(how),
    parallel: integer(1, mostInstances)(parallel),
    renewEnv: flag(renewEnv),
  };
}

function scaling(input: unknown): Params<'scale'> {
  const { instances } = object(input);
  const isCount = Number.isInteger(instances) && (instances as number) >= 0 && (instances as number) <= mostInstances;
  const isChange = typeof instances === 'string' && /^[+-]\d{1,5}$/.test(instances);
  if (isCount || isChange) return { ...targets(input), instances: instances as number | string };
  throw new TypeError(`"instances" must be a whole number up to ${mostInstances}, or a change such as "+2" or "-1"`);
}

function signalling(input: unknown): Params<'signal'> {
  return { ...targets(input), signal: signalName(object(input).signal) };
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

function saving(input: unknown): Params<'save'> {
  const given = object(input ?? {});
  return given.auto === undefined ? {} : { auto: bool(given, 'auto', false) };
}

function upgrading(input: unknown): Params<'upgrade'> {
  const { command, env } = object(input);
  const [program, ...args]: unknown[] = Array.isArray(command) ? command : [];
  if (typeof program !== 'string' || !args.every((word) => typeof word === 'string'))
    throw new TypeError('"command" must be a list: a program and its arguments');
  return { command: [program, ...args], env: environment(env) };
}

function bool(from: Record<string, unknown>, key: string, otherwise: boolean): boolean {
  const value = from[key] ?? otherwise;
  if (typeof value === 'boolean') return value;
  throw new TypeError(`"${key}" must be true or false`);
}
