// What a running process reports, and what follows from it: an event of the table, or one that others hear.
import type { EndReason } from '../../ipc/records/deaths.ts';
import type { FailureKind } from '../../ipc/worker-messages.ts';
import type { LifecycleEvent } from './lifecycle/state.ts';
import type { ManagedProcess } from './process.ts';
import type { Remains } from './remaining.ts';
import type { RunningProcess } from './running-process.ts';
import { type ProcessNews, readinessTold } from './telling.ts';

/** What a process can report. */
export interface News {
  ready(): void;
  /** The app cannot take work for now. It will say when it can. */
  notReady(): void;
  /** The process is not ready any more, or again (null). */
  unready(reason: string | null): void;
  /** The program has been loaded. */
  loaded(): void;
  listening(): void;
  /** The process has received the request to stop. */
  answered(): void;
  /** The process has received as many HTTP requests as its limit allows. */
  spent(requests: number): void;
  /** A handler of the app has taken an error, after which the process may end soon. */
  failed(kind: FailureKind): void;
  /** The process will end by itself and wants a successor now. */
  leaving(reason: EndReason): void;
  /** The process was asked to stop, and serves nobody any more. */
  served(remains: Remains): void;
  /** The process has lost its channel, because of what it sent. */
  cutOff(reason: string): void;
}

interface Receiver {
  process: ManagedProcess;
  running(): RunningProcess | undefined;
  dispatch(event: LifecycleEvent): void;
  tell(event: ProcessNews): void;
  happened(): void;
}

export function newsOf({ process, running, dispatch, tell, happened }: Receiver): News {
  return {
    ready: () => dispatch({ type: 'ready' }),
    notReady: () => dispatch({ type: 'notReady' }),
    unready(reason) {
      // One that starts is not ready anyway.
      if (process.state.kind !== 'online') return;
      tell(readinessTold(process.state.pid, reason));
      happened();
    },
    answered: () => dispatch({ type: 'answered' }),
    spent(requests) {
      const now = running();
      if (!process.child || !now) return;
      now.requestsAtLimit = requests;
      tell({ type: 'spent', pid: process.child.pid, requests });
    },
    failed: (kind) => dispatch({ type: 'errorHandled', kind }),
    leaving: (reason) => dispatch({ type: 'leaving', reason }),
    served(remains) {
      const now = running();
      if (now) now.remains = remains;
      happened();
    },
    cutOff: (reason) => tell({ type: 'cut off', pid: process.child?.pid ?? 0, reason }),
    loaded: () => dispatch({ type: 'loaded' }),
    listening: () => dispatch({ type: 'listening' }),
  };
}
