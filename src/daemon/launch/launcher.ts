// A way to run a program. One real implementation (`spawn.ts`); tests of the daemon bring their own.
import type { AppSpec } from '../../config/app-spec.ts';
import type { Exit } from '../../ipc/views.ts';
import type { Handle } from '../../os/handle.ts';
import type { Streams } from '../output/streams.ts';
import type { StdinPipe } from './input.ts';

export interface LaunchPlan extends Streams {
  spec: AppSpec;
  /** The `pm_id` of the instance. */
  id: number;
  slot: number;
  /** Sockets to inherit from descriptor 3 on, by the convention of sd_listen_fds(3); only for programs that are not Node. */
  sockets: InheritedSocket[];
  /** What it is to carry in its environment, for the next daemon to know it by (state/mark.ts). */
  mark?: string;
}

export interface InheritedSocket {
  fd: number;
  /** Where it has one of its own; else it is called like the app. */
  name?: string | undefined;
}

export interface ChildEvents {
  /** Called once, after the process was reaped. */
  exited(exit: Exit): void;
  /** A message of nsv's preload (`worker-messages.ts`), perhaps with a socket, or of the app itself (`process.send`). */
  message(message: unknown, internal: boolean, handle?: Handle): void;
}

export interface Child {
  readonly pid: number;
  /** What it was launched with: settings may have changed since. */
  readonly plan: LaunchPlan;
  /** Start time in clock ticks since boot, /proc/<pid>/stat field 22; undefined where there is no /proc. */
  readonly startTime: number | undefined;
  /** Where the spec asks for it. */
  readonly input?: StdinPipe | undefined;
  /** Sends over the IPC channel; returns false when there is none or it is closed. The callback is told of a failed write. */
  send(message: object | string, handle?: Handle, done?: (error: Error | null) => void): boolean;
}

export interface Launcher {
  /** Starts the program at once. Throws CANNOT_SPAWN or CANNOT_OPEN_LOG; then no event follows. */
  launch(plan: LaunchPlan, events: ChildEvents): Child;
}
