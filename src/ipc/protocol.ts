// The one table of what a client may ask the daemon. Types, client, router and docs/protocol.md derive from it.
// On the wire: JSON-RPC 2.0, one message a line.
import { type AppSpec, parseAppSpec } from '../config/app-spec.ts';
import { environment, integer, signal } from '../config/parsers.ts';
import type { AppView, DaemonView, ProcessView, SavedView } from './views.ts';

/** One row: how parameters are checked, what comes back, and one line of documentation. */
export interface Method<P, R> {
  doc: string;
  /** The socket is a trust boundary: parse, don't cast. Throws with what is wrong. */
  parse: (input: unknown) => P;
  /** Carries the result's type; never called. */
  result?: R;
}

function method<P>(parse: (input: unknown) => P, doc: string) {
  return { returns: <R>(): Method<P, R> => ({ doc, parse }) };
}

export const methods = {
  ping: method(nothing, 'says that the daemon lives, and what it is').returns<DaemonView>(),
  list: method(targets, 'the processes of the targets, with fresh figures of CPU and memory').returns<ProcessView[]>(),
  describe: method(targets, 'the apps of the targets with their settings, sockets and processes').returns<AppView[]>(),
  launch: method(launching, 'starts a new app; returns when it is ready').returns<ProcessView[]>(),
  start: method(waiting, 'starts stopped apps again; returns when they are ready').returns<ProcessView[]>(),
  stop: method(targets, 'stops processes; returns when the last one is gone').returns<ProcessView[]>(),
  restart: method(renewing, 'stops, then starts; returns when all are ready').returns<ProcessView[]>(),
  reload: method(reloading, 'replaces processes one by one, new before old').returns<ProcessView[]>(),
  delete: method(targets, 'stops apps and forgets them').returns<ProcessView[]>(),
  scale: method(scaling, 'changes the number of instances').returns<ProcessView[]>(),
  signal: method(signalling, 'sends a signal to the processes').returns<ProcessView[]>(),
  reset: method(targets, 'sets the restart counters to zero').returns<ProcessView[]>(),
  save: method(nothing, 'writes the list of apps to the nsv home').returns<SavedView>(),
  resurrect: method(nothing, 'starts the saved apps that are not there yet').returns<ProcessView[]>(),
  kill: method(nothing, 'stops all apps, then the daemon').returns<{ pid: number; stopped: number }>(),
};

export type Methods = typeof methods;
export type MethodName = keyof Methods;
export type Params<N extends MethodName> = ReturnType<Methods[N]['parse']>;
export type Result<N extends MethodName> = NonNullable<Methods[N]['result']>;

/** A typed function per method: built by enumerating the table, on both ends. */
export type Client = { [N in MethodName]: (params: Params<N>) => Promise<Result<N>> };

/** Progress of a call that waits; also the heartbeat that tells the client that the daemon lives. */
export type Report = (text: string) => void;
export type Handlers = { [N in MethodName]: (params: Params<N>, report: Report) => Result<N> | Promise<Result<N>> };

/** The daemon's first line on each connection, a JSON-RPC notification named `hello`. */
export interface Hello {
  protocol: number;
  version: string;
  pid: number;
}

/** A JSON-RPC notification named `progress`, sent while a call of that `id` is under way. */
export interface Progress {
  id: number | string;
  text: string;
}

export function isMethod(name: unknown): name is MethodName {
  return typeof name === 'string' && Object.hasOwn(methods, name);
}

function object(input: unknown): Record<string, unknown> {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input as Record<string, unknown>;
  throw new TypeError('the parameters must be an object');
}

function nothing(_input: unknown): Record<never, never> {
  return {};
}

/** Words as the user typed them: a name, an id, a namespace, `all` or `/regex/`. */
function targets(input: unknown): { targets: string[] } {
  const { targets: words } = object(input);
  if (Array.isArray(words) && words.every((word) => typeof word === 'string' && word !== '')) return { targets: words };
  throw new TypeError('"targets" must be a list of texts');
}

/** `env`: the caller's environment, to replace the app's (`--update-env`). */
function renewing(input: unknown): { targets: string[]; env?: Record<string, string> } {
  const { env } = object(input);
  return env === undefined ? targets(input) : { ...targets(input), env: environment(env) };
}

/** `parallel`: how many instances of an app are replaced at the same time. */
function reloading(input: unknown): { targets: string[]; env?: Record<string, string>; parallel: number } {
  return { ...renewing(input), parallel: integer(1, 10_000)(object(input).parallel ?? 1) };
}

function waiting(input: unknown): { targets: string[]; env?: Record<string, string>; wait: boolean } {
  return { ...renewing(input), wait: bool(object(input), 'wait', true) };
}

function launching(input: unknown): { app: AppSpec; wait: boolean; force: boolean } {
  const given = object(input);
  return { app: parseAppSpec(given.app), wait: bool(given, 'wait', true), force: bool(given, 'force', false) };
}

/** `instances`: a count, or a change such as "+2" or "-1". */
function scaling(input: unknown): { targets: string[]; instances: number | string } {
  const { instances } = object(input);
  const isCount = Number.isInteger(instances) && (instances as number) >= 0 && (instances as number) <= 10_000;
  const isChange = typeof instances === 'string' && /^[+-]\d{1,5}$/.test(instances);
  if (isCount || isChange) return { ...targets(input), instances: instances as number | string };
  throw new TypeError('"instances" must be a whole number up to 10000, or a change such as "+2" or "-1"');
}

function signalling(input: unknown): { targets: string[]; signal: NodeJS.Signals } {
  return { ...targets(input), signal: signal(object(input).signal) };
}

function bool(from: Record<string, unknown>, key: string, otherwise: boolean): boolean {
  const value = from[key] ?? otherwise;
  if (typeof value === 'boolean') return value;
  throw new TypeError(`"${key}" must be true or false`);
}
