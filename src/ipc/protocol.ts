// The table of methods that a client can call. Types, client, router and docs/protocol.md derive from it.
// The wire format is JSON-RPC 2.0, one message per line. Parameters are parsed elsewhere (parameters.ts), because every
// `nsv list` loads this file and must not load the option table.
import type { AppSpec, ProgramSpec } from '../config/app-spec.ts';
import type { OpenedQueueView, RuntimeChange, RuntimeSettingsView } from './app/views.ts';
import type { Inspecting } from './questions.ts';
import type { DescribedApps } from './records/described-apps.ts';
import type {
  AppView,
  DaemonView,
  DeathView,
  HealthView,
  InspectedView,
  LogFilesView,
  ProcessView,
  ReplyView,
  RotatedView,
  SavedView,
  UpgradeView,
} from './views.ts';

/** What a call does to the apps, which decides how it is treated: see `effects`. */
export type MethodEffect = 'read' | 'observe' | 'act' | 'change' | 'end' | 'hand over' | 'shut down';

/** One method: its effect on the apps, one line of documentation, and the types of parameters and result. */
export interface Method<P, R> {
  effect: MethodEffect;
  doc: string;
  /** Only carry types; never set. */
  params?: P;
  result?: R;
}

function method<P, R>(effect: MethodEffect, doc: string): Method<P, R> {
  return { effect, doc };
}

/**
 * `announced`: the daemon waits for the commands that have begun, which can take as long as an app needs to start, and
 * starts its successor. `transfer`: the successor is there and receives everything.
 */
export type HandOverStage = 'announced' | 'transfer';

interface Treatment {
  /** Whether the reply waits until the change is on the disk. If it cannot be written, the call fails, though it has happened. */
  persists: boolean;
  /** The stage of a hand-over to another daemon from which on the call waits for its end. */
  waitsFrom: HandOverStage | undefined;
  /** Whether another daemon waits for the call before it takes over. */
  delaysHandOver: boolean;
  /** Whether the call can be repeated to the next daemon if this one dies, because it changes nothing. */
  isRepeatable: boolean;
}

const treatment: Treatment = { persists: false, waitsFrom: 'announced', delaysHandOver: true, isRepeatable: false };

export const effects: Record<MethodEffect, Treatment> = {
  /** Only reads. */
  read: { ...treatment, waitsFrom: undefined, delaysHandOver: false, isRepeatable: true },
  /** Reads until the connection ends. */
  observe: { ...treatment, waitsFrom: undefined, delaysHandOver: false },
  /** Acts on processes, or writes files itself, but does not change the state: there is no start that it could add. */
  act: { ...treatment, waitsFrom: 'transfer' },
  change: { ...treatment, persists: true },
  /** Cuts earlier commands short, so it waits for nothing. */
  end: { ...treatment, persists: true, waitsFrom: undefined },
  'hand over': { ...treatment, delaysHandOver: false },
  /** Leaves no state to write. */
  'shut down': { ...treatment, waitsFrom: undefined, delaysHandOver: false },
};

type Nothing = Record<never, never>;

interface Targets {
  /** Names, ids, namespaces or `all`. The client resolves regular expressions to names (patterns.ts). */
  targets: string[];
}

interface Renewing extends Targets {
  /** The caller's environment, which replaces the app's (`--update-env`). */
  env?: Record<string, string>;
}

interface Reloading extends Renewing {
  /** Number of instances of an app that are replaced at the same time. */
  parallel: number;
  /** The program the app runs from now on. */
  program?: ProgramSpec;
  /** Only those that run at that moment, or that are not ready once those that start have had their time. Default: all. */
  only?: 'running' | 'unready';
}

interface Launching {
  app: AppSpec;
  wait: boolean;
  force: boolean;
  /** Whether to start the app; otherwise it is added as stopped. */
  active: boolean;
}

interface Updating {
  app: AppSpec;
  /** The present name of the app, if `app` gives it another one. */
  target?: string;
  how: 'restart' | 'reload';
  /** Number of instances that a reload replaces at the same time. */
  parallel: number;
  /** Whether to replace the app's environment too, with that of `app`, which comes from the caller's shell. */
  renewEnv: boolean;
}

interface Upgrading {
  /** The new daemon's program and its arguments. */
  command: [string, ...string[]];
  env: Record<string, string>;
}

interface Scaling extends Targets {
  /** A count, or a change such as "+2" or "-1". */
  instances: number | string;
}

interface Triggering extends Targets {
  action: string;
  /** PM2 calls this `opts`. */
  param?: string;
}

interface Following extends Targets {
  /** Whether to send `following` first: where the journal ends, so that a client can read what was before. */
  journal?: boolean;
}

interface Remembering extends Targets {
  /** Only the record with this number. */
  number?: number;
  /** Whether to return output and whole stacks; else a few calls of each. */
  details: boolean;
}

interface Saving {
  /** Whether to save every change from now on. If absent, the setting stays as it is. */
  auto?: boolean;
  /** Whether an empty list may replace one with apps. */
  force?: boolean;
  /** Whether to save a list without apps, whatever runs. */
  empty?: boolean;
}

export const methods = {
  ping: method<Nothing, DaemonView>('read', 'returns pid, version and uptime of the daemon'),
  health: method<Nothing, HealthView>('read', 'returns the health of all apps, without inspecting their processes'),
  list: method<Targets, ProcessView[]>(
    'read',
    'returns the processes of the targets, with their current CPU and memory use',
  ),
  describe: method<Targets, DescribedApps>(
    'read',
    'returns the apps of the targets with their settings, sockets and processes',
  ),
  logs: method<Targets, LogFilesView[]>(
    'read',
    'returns the log files of the targets, without inspecting their processes',
  ),
  deaths: method<Remembering, DeathView[]>('read', 'returns why processes of the targets have ended, oldest first'),
  rotateLogs: method<Targets, RotatedView[]>('change', 'rotates the log files of the targets'),
  reopenLogs: method<Targets, RotatedView[]>('change', 'reopens log files of the targets that were renamed'),
  launch: method<Launching, ProcessView[]>('change', 'starts a new app and waits until it is ready'),
  start: method<Renewing & { wait: boolean }, ProcessView[]>(
    'change',
    'starts stopped apps and waits until they are ready',
  ),
  stop: method<Targets, ProcessView[]>('end', 'stops processes and waits until they are gone'),
  restart: method<Renewing, ProcessView[]>(
    'change',
    'stops processes, starts them again and waits until they are ready',
  ),
  reload: method<Reloading, ProcessView[]>(
    'change',
    'replaces processes one by one, starting each new one before its old one stops',
  ),
  update: method<Updating, ProcessView[]>(
    'change',
    'changes the settings of an app, and replaces its processes if needed',
  ),
  delete: method<Targets, ProcessView[]>('end', 'stops apps and removes them from the list'),
  scale: method<Scaling, ProcessView[]>('change', 'changes the number of instances'),
  signal: method<Targets & { signal: NodeJS.Signals }, ProcessView[]>('act', 'sends a signal to the processes'),
  send: method<Targets & { text: string }, ProcessView[]>(
    'act',
    'writes to the standard input of processes, and returns when it is in their pipes',
  ),
  message: method<Targets & { topic: string; data: unknown }, ProcessView[]>(
    'act',
    'sends a message with a topic to Node processes',
  ),
  trigger: method<Triggering, ReplyView[]>('act', 'runs a custom action in processes and returns their replies'),
  follow: method<Following, Nothing>(
    'observe',
    'sends events of the targets as `event` notifications, until the connection is closed or the daemon exits',
  ),
  inspect: method<Inspecting, InspectedView>(
    'observe',
    'asks a process about itself; the answer comes as `part` notifications, each with the `key` of the call',
  ),
  runtimeSettings: method<Targets & { secrets?: boolean }, RuntimeSettingsView[]>(
    'read',
    'returns the runtime settings of the targets, with secrets masked unless `secrets` is set, and which version each process has',
  ),
  changeRuntimeSettings: method<Targets & RuntimeChange, RuntimeSettingsView[]>(
    'change',
    'changes runtime settings in all processes of the targets; nothing changes in an app if one of its processes rejects them',
  ),
  queues: method<Nothing, OpenedQueueView[]>(
    'read',
    'returns the queues that processes have opened, without asking these',
  ),
  reset: method<Targets, ProcessView[]>('change', 'sets restart counters to zero'),
  save: method<Saving, SavedView>('act', 'saves the list of apps in the nsv home, now or after every change'),
  resurrect: method<Nothing, ProcessView[]>(
    'change',
    'restores the saved apps that are missing, or not started since the last reboot',
  ),
  upgrade: method<Upgrading, UpgradeView>(
    'hand over',
    'replaces this daemon with another one, and returns when that has succeeded or failed',
  ),
  kill: method<Nothing, { pid: number; stopped: number }>('shut down', 'stops all apps and the daemon'),
};

export type Methods = typeof methods;
export type MethodName = keyof Methods;
export type Params<N extends MethodName> = NonNullable<Methods[N]['params']>;
export type Result<N extends MethodName> = NonNullable<Methods[N]['result']>;

/** A typed function per method, derived from the table on both ends. `report` receives the progress of the call. */
export type Client = { [N in MethodName]: (params: Params<N>, report?: Report) => Promise<Answer<N>> };

/** What a call resolves to: the result, in which the apps of `describe` have their environments back. */
type Answer<N extends MethodName> = N extends 'describe' ? AppView[] : Result<N>;

/** Reports progress, which is also the heartbeat of the daemon. `isLasting`: sent once, and still to be read after the call. */
export type Report = (text: string, isLasting?: boolean) => void;

/** The connection of a call that sends more than a reply. */
export interface CallStream {
  /** Sends a notification. A client that does not read its notifications is disconnected. */
  notify(notification: string, params: object): void;
  onClose(listener: () => void): void;
  /** Calls `then` when the client has read what was sent, at once or later. Never if it does not. */
  onceRead(then: () => void): void;
}

/** Only these send more than a reply. */
type Means<N extends MethodName> = [report: Report, ...(N extends 'follow' | 'inspect' ? [line: CallStream] : [])];

export type Handlers = {
  [N in MethodName]: (params: Params<N>, ...deps: Means<N>) => Result<N> | Promise<Result<N>>;
};
export type Follow = Handlers['follow'];

/** The daemon's first line on each connection: a JSON-RPC notification named `hello`. */
export interface Hello {
  protocol: number;
  version: string;
  /** Differs for each build of a version. */
  build: string;
  pid: number;
}

/**
 * A JSON-RPC notification named `progress` or, if it is to be read after the call, too, `notice`; sent while the call with
 * that `id` is pending.
 */
export interface Progress {
  id: number | string;
  text: string;
}

export type ProgressListener = (progress: Progress, isLasting: boolean) => void;

/** A JSON-RPC notification named `part`: the next piece of the answer to `inspect`. */
export interface AnswerPart {
  key: number;
  text: string;
}

/** How calls of a method are treated. */
export function effectOf(name: MethodName): Treatment {
  return effects[methods[name].effect];
}

export function isMethod(name: unknown): name is MethodName {
  return typeof name === 'string' && Object.hasOwn(methods, name);
}
