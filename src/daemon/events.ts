// The events of apps, and the bus that delivers them to listeners in the daemon: the log, on-giveup commands.
import type { AppSpec } from '../config/app-spec.ts';
import type { CallerView, LogsAt } from '../ipc/journal/event-views.ts';
import type { AppMessage, Exit, ProblemKind } from '../ipc/views.ts';
import type { Death } from './process/death/death.ts';

interface Subject {
  app: string;
  id: number;
  slot: number;
}

/** One app, or several. Neither for what concerns the daemon. */
export type Concerned = { app: string } | { apps: string[] };

export type DaemonEvent =
  /** `logsAt`: bytes in its log files at that moment. */
  | ({ type: 'start'; pid: number; logsAt: LogsAt } & Subject)
  | ({ type: 'online'; pid: number } & Subject)
  | ({ type: 'ready-timeout'; pid: number } & Subject)
  /** The ready probe has failed: the process gets no new connections, as long as there are others. */
  | ({ type: 'not-ready'; pid: number; reason: string } & Subject)
  | ({ type: 'ready-again'; pid: number } & Subject)
  /** The live probe has failed: the process is replaced. */
  | ({ type: 'not-alive'; pid: number; reason: string } & Subject)
  /** `death`: what its record says. Undefined if the program has not run. */
  | ({ type: 'exit'; pid: number; exit: Exit; asked: boolean; death: Death | undefined } & Subject)
  /** The process has received as many HTTP requests as its limit allows. */
  | ({ type: 'request-limit'; pid: number; requests: number } & Subject)
  /** The event loop of the process is blocked, and the process is replaced. `reason` says for how long and, if known, where. */
  | ({ type: 'blocked'; pid: number; reason: string } & Subject)
  /** The memory of the process keeps growing: bytes per hour, and the milliseconds until its limit; null without one. */
  | ({ type: 'leak'; pid: number; perHour: number; left: number | null } & Subject)
  /** The process was asked to stop, its app has had a second for that, and it still runs. `detail` says what it waits for. */
  | ({ type: 'not-exiting'; pid: number; detail: string } & Subject)
  /** The process was killed because it had not exited at the kill timeout. */
  | ({ type: 'kill-timeout'; pid: number; detail: string } & Subject)
  /** The process was killed at the kill timeout with requests in flight. */
  | ({ type: 'requests-cut'; requests: number } & Subject)
  /** The process has lost its IPC channel, because of what it sent on it. */
  | ({ type: 'channel-closed'; pid: number; reason: string } & Subject)
  /** `reason`: why it is delayed, if that is not by the settings of the app. */
  | ({ type: 'restart'; delay: number; reason?: string } & Subject)
  | ({ type: 'spawn-failed'; reason: string } & Subject)
  /** A start waits for these apps, which are not ready. Without `id` and `slot` it is the start of the whole app. */
  | { type: 'held'; app: string; id?: number; slot?: number; waitsFor: string[] }
  /** An app that this one depends on (`on`) is not ready any more, or is ready again. */
  | { type: 'dependency'; app: string; on: string; ready: boolean }
  /** `dropped`: bytes that would have exceeded the limits. */
  | { type: 'rotate'; file: string; to: string; bytes: number; stopped: number; dropped?: number }
  /** Old rotated files were deleted to keep within the limits. */
  | { type: 'delete-logs'; files: string[] }
  /** Something is wrong, although the app may run, and will be until it is `solved`. Without `app` it is a file that several may share. */
  | { type: 'problem'; app?: string; apps?: string[]; about: ProblemKind; file?: string; detail: string }
  | { type: 'solved'; app?: string; apps?: string[]; about: ProblemKind; file?: string }
  /** The runtime settings have changed in these keys. */
  | { type: 'settings-changed'; app: string; version: number; keys: string[] }
  /** The app sent a message for clients that follow the events. */
  | ({ type: 'message'; pid: number; message: AppMessage } & Subject)
  /** Every instance that was to be replaced has been replaced. */
  | { type: 'reload'; app: string }
  /** A command has changed the number of instances: surplus ones are gone, new ones are not yet started. */
  | { type: 'scale'; app: string; instances: number }
  /** A client, or a signal to the daemon, has asked for more than information. */
  | ({ type: 'command'; method: string; by: CallerView } & Concerned)
  | ({ type: 'command-failed'; method: string; detail: string } & Concerned)
  /** Processes are about to be replaced without a command. */
  | { type: 'replace'; app: string; id?: number; slot?: number; reason: string }
  /** A replacement without a command has failed: the old processes run on. */
  | { type: 'reload-failed'; app: string; reason: string; detail: string }
  /** The daemon has met a difficulty of its own, and goes on. */
  | { type: 'warning'; app?: string; detail: string }
  /** A process that exceeds a limit could not be replaced, and keeps serving. There is another attempt after `delay` ms. */
  | ({ type: 'not-replaced'; reason: string; delay: number } & Subject)
  /** The process has said that it will exit. */
  | ({ type: 'leaving'; pid: number; reason: string } & Subject)
  /** A daemon begins or ends. `pid` is its own. */
  | { type: 'daemon'; pid: number; detail: string }
  /** The app was removed, and the command that removed it has had its reply. */
  | { type: 'delete'; app: string }
  /** `lastError`: the last lines of the process's error log, or its cause of death if there are none. */
  | ({ type: 'giveup'; reason: string; lastError: string; spec: AppSpec } & Subject);

/** An event as it is kept. Times are of the wall clock. */
export interface Kept {
  event: DaemonEvent;
  at: number;
  /** The events that this one stands for, if they were counted first. */
  repeats?: { count: number; since: number };
}

export type EventBus = ReturnType<typeof createEventBus>;

export function createEventBus() {
  const listeners = new Set<(event: DaemonEvent) => void>();
  return {
    emit(event: DaemonEvent) {
      for (const listener of listeners) listener(event);
    },
    /** Every listener receives every event, in the order of subscription. The returned function unsubscribes. */
    subscribe(listener: (event: DaemonEvent) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
