// Messages between the process of nsv and the parts of the app that have servers of their own, its delegates: workers of
// its own cluster, over Node's channel to them, and threads, over a BroadcastChannel.
import type { BindAddress } from '../../ipc/worker-messages.ts';

/** Starts with NODE_, so Node delivers what has it as 'internalMessage', which the app does not see. */
export const delegateMarker = 'NODE_NSV_DELEGATE';

export type ToDelegate =
  /**
   * `round`: counts the requests. `timeout`: milliseconds in which requests are to be answered; null to wait for all
   * connections. `idle`: milliseconds for which idle connections are kept; null to close them after a time without traffic.
   */
  | { type: 'drain'; round: number; timeout: number | null; idle: number | null }
  /** Takes back `idle`. */
  | { type: 'stop-keeping-idle' };

/** To a worker of a cluster: the answer to `bind`. */
export type ToWorker = ToDelegate | { type: 'prepared'; seq: number };

/** `round`: that of the last request. `sure`: no connection was passed on to it since the last time. */
export type FromDelegate =
  | { type: 'drained'; round: number; sure: boolean }
  | { type: 'in-flight'; count: number }
  /** Only idle connections are left. Sent at most once for each request to drain, if that said to keep them. */
  | { type: 'only-idle-left' };

/** From a worker of a cluster: Node's primary is about to bind the address. */
export type FromWorker = FromDelegate | { type: 'prepare'; seq: number; place: BindAddress };

export type WithMarker<M> = M & { cmd: typeof delegateMarker };

export type ToThread =
  | ToDelegate
  /** The main thread has begun to listen: what was said before is to be repeated. */
  | { type: 'here' }
  /** `fd` belongs to the thread from now on. */
  | { type: 'granted'; seq: number; key: string; fd: number }
  | { type: 'refused'; seq: number; errno: number; code: string }
  /** The thread has to bind by itself. */
  | { type: 'lost'; seq: number };

export type FromThread =
  | FromDelegate
  | { type: 'bind'; seq: number; address: BindAddress }
  | { type: 'listening'; key: string; address: string }
  | { type: 'closed'; key: string }
  /** A thread of the thread has ended. */
  | { type: 'ended'; thread: number };

/** What is sent over the BroadcastChannel. `to`: a thread; undefined for all. */
export type OverThreads =
  | { from: 'main'; to: number | undefined; message: ToThread }
  | { from: number; message: FromThread };

export function isForDelegates(message: unknown): message is WithMarker<ToWorker | FromWorker> {
  return typeof message === 'object' && message !== null && 'cmd' in message && message.cmd === delegateMarker;
}
