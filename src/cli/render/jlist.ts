// Renders the format of `pm2 jlist` for tools that read it. Additions of nsv never replace a value of PM2.
import { inspect } from 'node:util';
import { ownVariablesOf, sharedEnvironmentOf } from '../../config/environment.ts';
import { nowhere } from '../../config/logs.ts';
import { pidFileOf } from '../../config/pid-file.ts';
import type { AppView, ProcessView, Status } from '../../ipc/views.ts';
import { isoFormat } from '../../shared/date-format.ts';
import { toJson } from './text.ts';

const spelling: Partial<Record<Status, string>> = { starting: 'launching', held: 'waiting restart' };

/** What PM2 reports about an app but nsv's daemon does not know (facts/app-facts.ts). Absent if unknown. */
export type JlistFacts = Partial<Record<'version' | 'interpreter' | 'nodeVersion' | 'username', string | undefined>>;

export function jlistOf(app: AppView, facts: JlistFacts = {}) {
  const shared = sharedOf(app);
  return app.processes.map((process) => {
    const { first, own, known, last } = entryOf(app, process, shared, facts);
    const variables = { ...shared, ...own };
    return { ...first, pm2_env: { ...variables, ...withoutUndefined(known), env: variables }, ...last };
  });
}

/**
 * Returns a function that renders the entries of `jlistOf` as JSON, without such objects: one with so many keys is a hash table, slow to
 * fill and to collect. What the processes and apps of one shell share is rendered once.
 */
export function jlistRenderer(): (app: AppView, facts?: JlistFacts) => string[] {
  const textOf = membersOncePerContent();
  return (app, facts = {}) => {
    const shared = sharedOf(app);
    return app.processes.map((process) => {
      const { first, own, known, last } = entryOf(app, process, shared, facts);
      const others = without(shared, own);
      const env = textOf(others) + members(own);
      const shown = textOf(without(others, known, repeated)) + members(without(own, known, repeated));
      return `{${members(first)},"pm2_env":{${shown},${members(known)},"env":{${env}}},${members(last)}}`;
    });
  };
}

/** The key under which all variables stand once more: a variable of that name stands only there. */
const repeated = { env: true };

/** Renders members, and a comma if there are any. Keeps the last text, for the next object that is equal to the last. */
function membersOncePerContent(): (object: Record<string, unknown>) => string {
  let last: Record<string, unknown> = {};
  let text = '';
  return (object) => {
    if (!isSame(object, last)) text = members(object);
    last = object;
    return text && `${text},`;
  };
}

function isSame(one: Record<string, unknown>, other: Record<string, unknown>): boolean {
  if (one === other) return true;
  const names = Object.keys(one);
  const others = Object.keys(other);
  return names.length === others.length && names.every((name, at) => name === others[at] && one[name] === other[name]);
}

function members(object: object): string {
  return toJson(object).slice(1, -1);
}

/** The notation of `pm2 prettylist`, which scripts search for words such as `restart_time: 0`. */
export function prettyListOf(list: unknown, colour: boolean): string {
  return inspect(list, { depth: null, maxArrayLength: null, maxStringLength: null, colors: colour });
}

type Spec = AppView['spec'];
type Variables = Record<string, string | number>;

/** Scripts search the text for `pm_id`, which is no variable there. */
const notShown = { pm_id: true };

function sharedOf({ spec }: AppView): Record<string, string> {
  return without(sharedEnvironmentOf(spec), notShown);
}

/**
 * The parts of an entry. As in PM2, the variables (those of the app, and its own) are repeated in `pm2_env`; they come first, so that a
 * variable cannot hide the real `status`.
 */
function entryOf(app: AppView, process: ProcessView, shared: Record<string, string>, facts: JlistFacts) {
  const { spec, createdAt } = app;
  const own: Variables = without(ownVariablesOf(spec, process, shared), notShown);
  const { incrementVar } = spec;
  // The one variable that is a number there.
  if (incrementVar !== undefined) own[incrementVar] = Number(own[incrementVar]);
  return {
    first: { pid: process.pid ?? 0, name: process.name },
    own,
    known: knownOf(process, spec, createdAt, facts),
    last: { pm_id: process.id, monit: { memory: process.memory ?? 0, cpu: process.cpu ?? 0 } },
  };
}

/** Less the names that one of `others` has; the same object if there are none. */
function without<T>(variables: Record<string, T>, ...others: Record<string, unknown>[]): Record<string, T> {
  const hidden = others.flatMap((other) =>
    Object.keys(other).filter((name) => Object.hasOwn(variables, name) && other[name] !== undefined),
  );
  if (hidden.length === 0) return variables;
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !hidden.includes(name)));
}

/** As in PM2, a setting has a value only if it was asked for, apart from those that always have one. */
function knownOf(process: ProcessView, spec: Spec, createdAt: number, facts: JlistFacts) {
  const known: Record<string, unknown> = {
    status: spelling[process.status] ?? process.status,
    pm_uptime: process.since ?? 0,
    restart_time: restartsOf(process),
    unstable_restarts: process.earlyExits,
    // Null after a signal, where PM2 reports 0: a SIGKILL is not a success.
    exit_code: process.lastExit?.code ?? null,
    // Why a process that is online is not ready, as its ready probe says; PM2 has nothing like it.
    not_ready: process.unready ?? null,
    exit_signal: process.lastExit?.signal ?? null,
    pm_exec_path: spec.script,
    pm_cwd: spec.cwd,
    exec_mode: `${spec.execMode}_mode`,
    instance_var: spec.instanceVar,
    increment_var: spec.incrementVar,
    args: spec.args,
    node_args: spec.interpreterArgs,
    source_map_support: spec.interpreterArgs.includes('--enable-source-maps') || undefined,
    // In fork mode, PM2 has one pair of files for an app.
    merge_logs: spec.mergeLogs || (spec.execMode === 'fork' && spec.instances === 1),
    watch: spec.watch.length > 0 && process.status !== 'stopped',
    ignore_watch: spec.watch.length > 0 ? spec.ignoreWatch : undefined,
    filter_env: spec.filterEnv,
    log_date_format: spec.logDateFormat ?? (spec.time ? isoFormat : undefined),
    pm_log_path: spec.logFile === nowhere ? undefined : spec.logFile,
    disable_logs: (spec.outFile === nowhere && spec.errorFile === nowhere) || undefined,
    log_type: spec.logType === 'json' ? 'json' : undefined,
    time: spec.time || undefined,
    autorestart: spec.autorestart,
    stop_exit_codes: spec.stopExitCodes,
    cron_restart: spec.cronRestart,
    max_memory_restart: spec.maxMemoryRestart,
    max_restarts: spec.maxRestarts,
    min_uptime: spec.minUptime,
    restart_delay: spec.restartDelay,
    exp_backoff_restart_delay: spec.expBackoffRestartDelay,
    kill_timeout: spec.killTimeout,
    listen_timeout: spec.listenTimeout,
    wait_ready: spec.waitReady,
    treekill: true,
    // The default there. It says nothing about nsv, which reads no repositories.
    vizion: true,
    exec_interpreter: facts.interpreter ?? spec.interpreter ?? 'none',
    name: process.name,
    pm_id: process.id,
    namespace: process.namespace,
    instances: process.instances,
    created_at: createdAt,
    pm_out_log_path: process.outFile,
    pm_err_log_path: process.errorFile,
    pm_pid_path: spec.pidFile === undefined ? null : pidFileOf(spec.pidFile, process.slot),
    version: facts.version ?? 'N/A',
    node_version: facts.nodeVersion ?? null,
    username: facts.username ?? null,
    // Tools that show custom metrics expect these keys.
    axm_monitor: {},
    axm_actions: [],
  };
  known[spec.instanceVar] = process.slot;
  return known;
}

/** PM2 counts a restart when it happens, nsv when it is decided. */
function restartsOf({ restarts, planned, status }: ProcessView): number {
  return Math.max(0, restarts + planned - (status === 'waiting restart' ? 1 : 0));
}

function withoutUndefined(settings: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
