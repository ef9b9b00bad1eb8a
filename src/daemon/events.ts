// What happens to apps, told to whoever listens inside the daemon: the log, the giveup command.
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
  /** It has been asked as many HTTP requests as it may. */
  | ({ type: 'spent'; pid: number; requests: number } & Subject)
  /** Killed at the kill timeout with requests under way. */
  | ({ type: 'cut short'; requests: number } & Subject)
  | ({ type: 'restart'; delay: number } & Subject)
  | ({ type: 'unspawnable'; detail: string } & Subject)
  /** A `post_stop` that did not end well. */
  | { type: 'hook failed'; app: string; command: string; detail: string }
  | { type: 'rotated'; file: string; to: string; bytes: number; stopped: number }
  /** Old rotated files, to keep the limits. */
  | { type: 'deleted logs'; files: string[] }
  /** Told once, until it is over. */
  | { type: 'log trouble'; file: string; detail: string }
  | { type: 'log trouble over'; file: string }
  /** The app has said something to whom it may concern. */
  | ({ type: 'message'; pid: number; message: AppMessage } & Subject)
  /** All that was to be replaced has been. */
  | { type: 'reloaded'; app: string }
  /** The app is no longer there, and the command that caused it has had its reply. */
  | { type: 'forgotten'; app: string }
  /** `lastError`: the last lines that the process wrote to its error log, or its cause of death where there are none. */
  | ({ type: 'giveup'; reason: string; lastError: string; spec: AppSpec } & Subject);

export type EventHandler = (event: DaemonEvent) => void;

export interface EventBus {
  emit: EventHandler;
  /** Every listener hears every event, in the order of subscription; the returned function ends that. */
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
