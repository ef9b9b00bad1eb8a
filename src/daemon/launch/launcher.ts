// Interface for running a program. `spawn.ts` is the real implementation; tests use their own.
import type { ChannelListener, Send } from '../../channels/channel.ts';
import type { AppSpec } from '../../config/app-spec.ts';
import type { Exit } from '../../ipc/views.ts';
import type { TreeMark } from '../../os/tree-mark.ts';
import type { NsvError } from '../../shared/errors.ts';
import type { Streams } from '../output/streams.ts';
import type { StdinPipe } from './input.ts';
import type { StackThread } from './stack-thread.ts';

export interface LaunchPlan extends Streams {
  spec: AppSpec;
  /** The `pm_id` of the instance. */
  id: number;
  slot: number;
  /** Sockets to inherit from descriptor 3 on, as in sd_listen_fds(3). Not for Node programs. */
  sockets: InheritedSocket[];
  /** For Node programs: the TCP ports of the group's sockets. Absent if the process is the only one, and the first. */
  heldPorts?: number[];
  /** For Node programs: those that the process has before its program runs, the values as JSON. Absent if the app has none. */
  runtimeSettings?: { version: number; values: string };
  /** A mark in the environment by which the next daemon identifies the process (process/mark.ts). */
  mark?: string;
}

export interface InheritedSocket {
  fd: number;
  /** The name of the socket. Default: the name of the app. */
  name?: string | undefined;
}

export interface ChildEvents extends ChannelListener {
  /** Called once, after the process was reaped. `problem`: its logs could not be opened, so the program has not run. */
  exited(exit: Exit, problem?: NsvError): void;
}

export interface Child {
  readonly pid: number;
  /** What the process was launched with. The settings may have changed since. */
  readonly plan: LaunchPlan;
  /** Start time in clock ticks since boot, /proc/<pid>/stat field 22; undefined without /proc. */
  readonly startTime: number | undefined;
  /** What its descendants inherit; undefined with `--keep-orphans`. */
  readonly tree?: TreeMark | undefined;
  /** The directory of the cgroup that it and all its descendants are in. */
  readonly cgroup?: string | undefined;
  /** Set if the spec asks for an input pipe. */
  readonly input?: StdinPipe | undefined;
  /** A process of another daemon that has not connected to this one, which lacks its sockets. */
  readonly isAway?: boolean;
  /** Set for a process with a watchdog, by the daemon that has started it. */
  readonly stackThread?: StackThread | undefined;
  /** Sends over the IPC channel. */
  send(...message: Parameters<Send>): boolean;
}

export interface Launcher {
  /** Starts the program at once. Throws CANNOT_SPAWN or CANNOT_OPEN_LOG; then no event follows. */
  launch(plan: LaunchPlan, events: ChildEvents): Child;
}

/** What the next daemon needs to identify a process. */
export interface ProcessIdentity {
  pid: number;
  /** Clock ticks since boot. */
  startTime: number;
  /** The mark in its environment (process/mark.ts). */
  mark: string;
  /** Its log files, or the descriptors of its daemon that it has inherited. Default: those of its settings. */
  outFile?: string | number;
  errorFile?: string | number;
  /** The file to which its lines are copied. */
  logFile?: string;
  /** Its cgroup. */
  cgroup?: string;
}

/** Null if the process cannot be identified: no mark, no start time, or its output goes through the daemon. */
export function processIdentityOf({ pid, startTime, plan, cgroup }: Child): ProcessIdentity | null {
  const { mark, outFile, errorFile, logFile } = plan;
  if (mark === undefined || startTime === undefined) return null;
  if (typeof outFile === 'function' || typeof errorFile === 'function') return null;
  const more = { ...(logFile !== undefined && { logFile }), ...(cgroup !== undefined && { cgroup }) };
  return { pid, startTime, mark, outFile, errorFile, ...more };
}
