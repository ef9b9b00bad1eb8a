// What the daemon accepts from a client: the parameters of each method.
import { isAbsolute } from 'node:path';
import { parseAppSpec, parseProgramSpec } from '../config/app-spec.ts';
import { mostInstances } from '../config/instances.ts';
import { environment, signalName } from '../config/options/parsers.ts';
import { detailOf, failure } from '../shared/errors.ts';
import {
  among,
  array,
  bool,
  matching,
  natural,
  orAbsent,
  orNull,
  record,
  type Shape,
  string,
  whole,
  withDefault,
} from '../shared/shapes.ts';
import { parseRuntimeKey, parseRuntimeValues } from './app/runtime-settings.ts';
import type { RuntimeValues } from './app/views.ts';
import type { MethodName, Params } from './protocol.ts';
import { parseQuestion } from './questions.ts';

/** Milliseconds that `inspect` waits for a process to take up a question. */
const longestTimeout = 60_000;

const word = matching(/./s, 'a non-empty string');
/** Composed, as the names of apps are. */
const target: Shape<string> = (value, where) => word(value, where).normalize();
const targeting = { targets: array(target) };
const parallel = withDefault(whole(1, mostInstances), 1);
const env = orAbsent(environment);

const nothing: Shape<Params<'ping'>> = () => ({});
const targets: Shape<Params<'list'>> = record(targeting);

const settingsChange: Shape<Params<'changeRuntimeSettings'>> = record({
  ...targeting,
  set: orAbsent(runtimeValues),
  unset: orAbsent(array(parseRuntimeKey)),
  file: orAbsent(orNull(absolutePath)),
});

const saving: Shape<Params<'save'>> = record({
  auto: orAbsent(bool),
  empty: orAbsent(bool),
  force: withDefault(bool, false),
});

/** The socket is a trust boundary: parse, don't cast. */
export const parameters: { readonly [N in MethodName]: Shape<Params<N>> } = {
  ping: nothing,
  health: nothing,
  list: targets,
  describe: targets,
  logs: targets,
  deaths: record({ ...targeting, number: orAbsent(whole(1)), details: withDefault(bool, false) }),
  rotateLogs: targets,
  reopenLogs: targets,
  launch: record({
    app: parseAppSpec,
    wait: withDefault(bool, true),
    force: withDefault(bool, false),
    active: withDefault(bool, true),
  }),
  start: record({ ...targeting, env, wait: withDefault(bool, true) }),
  stop: targets,
  restart: record({ ...targeting, env }),
  reload: record({
    ...targeting,
    env,
    parallel,
    program: orAbsent(parseProgramSpec),
    only: orAbsent(among('running', 'unready')),
  }),
  update: record({
    app: parseAppSpec,
    target: orAbsent(word),
    how: withDefault(among('restart', 'reload'), 'reload'),
    parallel,
    renewEnv: withDefault(bool, false),
  }),
  delete: targets,
  scale: record({ ...targeting, instances }),
  signal: record({ ...targeting, signal: signalName }),
  send: record({ ...targeting, text: string() }),
  message: record({ ...targeting, topic: word, data: (value) => value }),
  trigger: record({ ...targeting, action: word, param: orAbsent(string()) }),
  follow: record({ ...targeting, journal: withDefault(bool, false) }),
  inspect: record({
    id: natural,
    key: natural,
    pid: orAbsent(natural),
    question: parseQuestion,
    timeout: whole(0, longestTimeout),
  }),
  runtimeSettings: record({ ...targeting, secrets: withDefault(bool, false) }),
  changeRuntimeSettings: changingSettings,
  queues: nothing,
  reset: targets,
  save: (input = {}, name) => saving(input, name),
  resurrect: nothing,
  upgrade: record({ command, env: environment }),
  kill: nothing,
};

function instances(value: unknown): number | string {
  const isCount = Number.isInteger(value) && Number(value) >= 0 && Number(value) <= mostInstances;
  const isChange = typeof value === 'string' && /^[+-]\d{1,5}$/.test(value);
  if (isCount || isChange) return value as number | string;
  throw new TypeError(`"instances" must be a whole number up to ${mostInstances}, or a change such as "+2" or "-1"`);
}

function changingSettings(input: unknown, name: string): Params<'changeRuntimeSettings'> {
  const change = settingsChange(input, name);
  if (change.file && (change.set ?? change.unset)) throw new TypeError('"file" excludes "set" and "unset"');
  return change;
}

/** Throws BAD_SETTINGS. */
function runtimeValues(input: unknown): RuntimeValues {
  try {
    return parseRuntimeValues(input);
  } catch (cause) {
    throw failure('BAD_SETTINGS', { problem: detailOf(cause) }, { cause });
  }
}

function absolutePath(value: unknown, name: string): string {
  if (typeof value === 'string' && isAbsolute(value)) return value;
  throw new TypeError(`"${name}" must be an absolute path, or null`);
}

function command(value: unknown, name: string): [string, ...string[]] {
  const [program, ...args] = array(string())(value, name);
  if (program === undefined) throw new TypeError('"command" must be a list: a program and its arguments');
  return [program, ...args];
}
