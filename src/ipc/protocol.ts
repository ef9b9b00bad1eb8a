// The one table of what a client may ask the daemon. Types, client, router and docs/protocol.md derive from it.
// On the wire: JSON-RPC 2.0, one message a line. How parameters are checked is the daemon's matter (parameters.ts): each
// `nsv list` loads this file, and must not load the option table with it.
import type { AppSpec, ProgramSpec } from '../config/app-spec.ts';
import type {
  AppView,
  DaemonView,
  LogFilesView,
  ProcessView,
  ReplyView,
  RotatedView,
  SavedView,
  UpgradeView,
} from './views.ts';

/** What a call does to the apps, and with it how it is treated: see `effects`. */
export type Effect = 'read' | 'observe' | 'act' | 'change' | 'end' | 'hand over' | 'shut down';

/** One row: what it does to the apps, one line of documentation, and the types of what goes in and what comes back. */
export interface Method<P, R> {
  effect: Effect;
  doc: string;
  /** Carry types; never there. */
  params?: P;
  result?: R;
}

function method<P, R>(effect: Effect, doc: string): Method<P, R> {
  return { effect, doc };
}

interface Treatment {
  /** The answer waits until what was changed is on the disk. */
  persists: boolean;
  /** Does not begin while another daemon takes over. */
  waitsForHandOver: boolean;
  /** Another daemon does not take over while it is under way. */
  delaysHandOver: boolean;
  /** May be asked again of the next daemon when this one dies of it: twice it changes nothing either. */
  isRepeatable: boolean;
}

const treatment = { persists: false, waitsForHandOver: true, delaysHandOver: true, isRepeatable: false };

export const effects: Record<Effect, Treatment> = {
  /** Looks. */
  read: { ...treatment, waitsForHandOver: false, delaysHandOver: false, isRepeatable: true },
  /** Looks until the connection ends. */
  observe: { ...treatment, waitsForHandOver: false, delaysHandOver: false },
  /** Does something to processes, or writes by itself: the state has nothing new. */
  act: treatment,
  change: { ...treatment, persists: true },
  /** Ends the work of commands before it, so it waits for nothing. */
  end: { ...treatment, persists: true, waitsForHandOver: false },
  'hand over': { ...treatment, delaysHandOver: false },
  /** Leaves nothing to be written. */
  'shut down': { ...treatment, waitsForHandOver: false, delaysHandOver: false },
};

type Nothing = Record<never, never>;

interface Targets {
  /** Words as the user typed them: a name, an id, a namespace, `all` or `/regex/`. */
  targets: string[];
}

interface Renewing extends Targets {
  /** The caller's environment, to replace the app's (`--update-env`). */
  env?: Record<string, string>;
}

interface Reloading extends Renewing {
  /** How many instances of an app are replaced at the same time. */
  parallel: number;
  /** What the app is to run from now on. */
  program?: ProgramSpec;
  /** Replaces what runs when its turn comes, and starts nothing that is stopped. */
  runningOnly?: boolean;
}

interface Waiting extends Renewing {
  wait: boolean;
}

interface Launching {
  app: AppSpec;
  wait: boolean;
  force: boolean;
  /** Whether it is to run; else it is in the list, stopped. */
  active: boolean;
}

interface Updating {
  app: AppSpec;
  how: 'restart' | 'reload';
  /** How many instances are replaced at the same time by a reload. */
  parallel: number;
  /** Whether the app's environment becomes that of `app` too, which is that of the caller's shell. */
  renewEnv: boolean;
}

interface Upgrading {
  /** The program of the other daemon and its arguments. */
  command: [string, ...string[]];
  env: Record<string, string>;
}

interface Scaling extends Targets {
  /** A count, or a change such as "+2" or "-1". */
  instances: number | string;
}

interface Sending extends Targets {
  text: string;
}

interface Triggering extends Targets {
  action: string;
  /** What PM2 calls `opts`. */
  param?: string;
}

interface Saving {
  /** Whether each change is to be saved from now on. Absent: as it is. */
  auto?: boolean;
}

interface Signalling extends Targets {
  signal: NodeJS.Signals;
}

export const methods = {
  ping: method<Nothing, DaemonView>('read', 'says that the daemon lives, and what it is'),
  list: method<Targets, ProcessView[]>('read', 'the processes of the targets, with fresh figures of CPU and memory'),
  describe: method<Targets, AppView[]>('read', 'the apps of the targets with their settings, sockets and processes'),
  logs: method<Targets, LogFilesView[]>(
    'read',
    'where the processes of the targets write, without a look at the processes',
  ),
  rotateLogs: method<Targets, RotatedView[]>(
    'change',
    'takes what is in the log files of the targets out into files of their own',
  ),
  reopenLogs: method<Targets, RotatedView[]>(
    'change',
    'gives log files that were renamed under the targets their names back',
  ),
  launch: method<Launching, ProcessView[]>('change', 'starts a new app; returns when it is ready'),
  start: method<Waiting, ProcessView[]>('change', 'starts stopped apps again; returns when they are ready'),
  stop: method<Targets, ProcessView[]>('end', 'stops processes; returns when the last one is gone'),
  restart: method<Renewing, ProcessView[]>('change', 'stops, then starts; returns when all are ready'),
  reload: method<Reloading, ProcessView[]>('change', 'replaces processes one by one, new before old'),
  update: method<Updating, ProcessView[]>('change', 'gives an app other settings; replaces its processes if it has to'),
  delete: method<Targets, ProcessView[]>('end', 'stops apps and forgets them'),
  scale: method<Scaling, ProcessView[]>('change', 'changes the number of instances'),
  signal: method<Signalling, ProcessView[]>('act', 'sends a signal to the processes'),
  send: method<Sending, ProcessView[]>(
    'act',
    'writes to the standard input of processes; returns when their pipes have it',
  ),
  trigger: method<Triggering, ReplyView[]>(
    'act',
    'has processes perform an action of their own; returns with their answers',
  ),
  follow: method<Targets, Nothing>(
    'observe',
    'tells what happens to the targets by the notification `event`, until the connection or the daemon ends',
  ),
  reset: method<Targets, ProcessView[]>('change', 'sets the restart counters to zero'),
  save: method<Saving, SavedView>('act', 'writes the list of apps to the nsv home, now or after each change'),
  resurrect: method<Nothing, ProcessView[]>('change', 'starts the saved apps that are not there yet'),
  upgrade: method<Upgrading, UpgradeView>(
    'hand over',
    'has another daemon take the place of this one; returns when it has, or when it has proven that it cannot',
  ),
  kill: method<Nothing, { pid: number; stopped: number }>('shut down', 'stops all apps, then the daemon'),
};

export type Methods = typeof methods;
export type MethodName = keyof Methods;
export type Params<N extends MethodName> = NonNullable<Methods[N]['params']>;
export type Result<N extends MethodName> = NonNullable<Methods[N]['result']>;

/** A typed function per method: built by enumerating the table, on both ends. `report` hears what the call waits for. */
export type Client = { [N in MethodName]: (params: Params<N>, report?: Report) => Promise<Result<N>> };

/** Progress of a call that waits; also the heartbeat that tells the client that the daemon lives. */
export type Report = (text: string) => void;

/** The connection of a call that has more to say than an answer. */
export interface Line {
  /** A client that does not read what it is told is let go. */
  tell(notification: string, params: object): void;
  onClose(listener: () => void): void;
}

/** Only `follow` has more to say than its answer. */
type Means<N extends MethodName> = [report: Report, ...(N extends 'follow' ? [line: Line] : [])];

export type Handlers = {
  [N in MethodName]: (params: Params<N>, ...deps: Means<N>) => Result<N> | Promise<Result<N>>;
};
export type Follow = Handlers['follow'];

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

/** How calls of a method are treated. */
export function effectOf(name: MethodName): Treatment {
  return effects[methods[name].effect];
}

export function isMethod(name: unknown): name is MethodName {
  return typeof name === 'string' && Object.hasOwn(methods, name);
}
