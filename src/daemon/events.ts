// The events of apps, and the bus that delivers them to listeners in the daemon: the log, on-giveup commands.
import type { AppSpec } from '../config/app-spec.ts';
import type { AppMessage, Exit } from '../ipc/views.ts';

interface Subject {
  app: string;
  id: number;
  slot: number;
}

export type DaemonEvent =
  | ({ type: 'started'; pid: number } & Subject)
  | ({ type: 'online'; pid: number } & Subject)
  | ({ type: 'late'; pid: number } & Subject)
  | ({ type: 'ended'; pid: number; exit: Exit; asked: boolean } & Subject)
  /** The process has received as many HTTP requests as its limit allows. */
  | ({ type: 'spent'; pid: number; requests: number } & Subject)
  /** The process was killed because it had not exited at the kill timeout. */
  | ({ type: 'overdue'; pid: number; detail: string } & Subject)
  /** The process was killed at the kill timeout with requests in flight. */
  | ({ type: 'cut short'; requests: number } & Subject)
  /** The process has lost its IPC channel, because of what it sent on it. */
  | ({ type: 'cut off'; pid: number; reason: string } & Subject)
  | ({ type: 'restart'; delay: number } & Subject)
  | ({ type: 'unspawnable'; detail: string } & Subject)
  /** A `post_stop` hook failed. */
  | { type: 'hook failed'; app: string; command: string; detail: string }
  | { type: 'rotated'; file: string; to: string; bytes: number; stopped: number }
  /** Old rotated files were deleted to keep within the limits. */
  | { type: 'deleted logs'; files: string[] }
  /** Emitted once per problem; `log trouble over` follows when it is solved. */
  | { type: 'log trouble'; file: string; detail: string }
  | { type: 'log trouble over'; file: string }
  /** The app sent a message for clients that follow the events. */
  | ({ type: 'message'; pid: number; message: AppMessage } & Subject)
  /** Every instance that was to be replaced has been replaced. */
  | { type: 'reloaded'; app: string }
  /** A command has changed the number of instances: surplus ones are gone, new ones are not yet started. */
  | { type: 'scaled'; app: string; instances: number }
  /** The app was removed, and the command that removed it has had its reply. */
  | { type: 'forgotten'; app: string }
  /** `lastError`: the last lines of the process's error log, or its cause of death if there are none. */
  | ({ type: 'giveup'; reason: string; lastError: string; spec: AppSpec } & Subject);

export type EventHandler = (event: DaemonEvent) => void;

export interface EventBus {
  emit: EventHandler;
  /** Every listener receives every event, in the order of subscription. The returned function unsubscribes. */
  subscribe(listener: EventHandler): () => void;
}

export function createEventBus(): EventBus {
  const listeners = new Set<EventHandler>();
  return {
    emit(event) {
      for (const listener of listeners) listener(event);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
