// Messages between the daemon and the preload of a managed Node process, over Node's own IPC channel. `cmd` starts with
// NODE_, so Node delivers them as 'internalMessage': the app's 'message' handlers never see them, and they do not keep
// the process alive (https://nodejs.org/api/child_process.html#subprocesssendmessage-sendhandle-options-callback).

import type { BindAddress } from '../os/address.ts';

export type { BindAddress };

export const marker = 'NODE_NSV';

/** The preload removes these, so the program does not see them and its child processes do not inherit them. */
export { clusterVariable, daemonVariable, markVariable } from '../os/own-variables.ts';

/** With it begins the `mark` of a keeper of sockets (daemon/sockets/keeper), which no process of an app has. */
export const keeperPrefix = 'keeper:';

/** The variable that tells a keeper its token. */
export const keeperVariable = 'NSV_KEEPER';

/** From the daemon to a keeper of sockets: it has them, or does not need them. */
export interface Released {
  cmd: typeof marker;
  type: 'released';
}

/** The address on which a server of the app wants to listen. */
export interface BindRequest extends BindAddress {
  /** Counts the app's requests for port 0 (or for the same address), so that each one gets its own socket. */
  index: number;
  /** A thread listens on the socket, which can accept connections, but not have them passed on. */
  direct?: boolean;
}

/** An error that a handler of the app has taken: for uncaught exceptions, or for unhandled rejections. */
export type FailureKind = 'exception' | 'rejection';

/** From the managed process to the daemon. `wish` is a request to bind. */
export type UpMessage =
  | { cmd: typeof marker; type: 'wish'; seq: number; wish: BindRequest }
  /** `canLeave`: a socket of the daemon's, whose accept queue the process can leave and join when it is told to. */
  | { cmd: typeof marker; type: 'listening'; key: string; address: string; canLeave?: boolean }
  | { cmd: typeof marker; type: 'closed'; key: string }
  | { cmd: typeof marker; type: 'accepted'; seq: number }
  /** The server for the connection is closed, so another process must take it. */
  | { cmd: typeof marker; type: 'declined'; seq: number }
  | { cmd: typeof marker; type: 'wants-messages' }
  /** The reply to `drain`, which shows that the event loop is not blocked. */
  | { cmd: typeof marker; type: 'draining' }
  /** Number of pending HTTP requests. Sent only while draining, when it has changed. */
  | { cmd: typeof marker; type: 'in-flight'; count: number }
  /** All requests are answered, and only idle connections are left. Sent once, if `drain` said `othersServe`. */
  | { cmd: typeof marker; type: 'lingering' }
  /** The process has reached its limit of requests. It carries on until it is replaced. Sent once. */
  | { cmd: typeof marker; type: 'spent'; requests: number }
  /** The app has handled an error, after which it may exit soon. Sent only to a daemon that wants to hear of it. */
  | { cmd: typeof marker; type: 'failed'; kind: FailureKind }
  /** The process finishes its pending requests and needs a replacement. */
  | { cmd: typeof marker; type: 'suicide'; reason: string }
  /** The app has called `process.disconnect()`. Messages of nsv still arrive, others do not. */
  | { cmd: typeof marker; type: 'disconnected' }
  /** The first message to a daemon that did not start this process. `mark` is from its environment. */
  | { cmd: typeof marker; type: 'back'; mark: string; pid: number }
  /** A socket received from the previous daemon, sent along with the message. `origin`: what it was granted for. */
  | { cmd: typeof marker; type: 'held'; key: string; way: AcceptMode; origin: BindOrigin }
  /** All sockets have been sent. */
  | { cmd: typeof marker; type: 'returned' };

/** Whether a process accepts connections itself or receives them from the daemon. */
export type AcceptMode = 'handle' | 'rr';
/** The number of the request that a socket was granted for, or the key of a `--listen` address. */
export type BindOrigin = number | string;

/** From the daemon to the managed process. Handles are sent along with the message. */
export type DownMessage =
  /** Sent again with another socket: accept from that one too. `extra` is the slot it belongs to. */
  | { cmd: typeof marker; type: 'granted'; seq: number; key: string; way: AcceptMode; extra?: number }
  | { cmd: typeof marker; type: 'refused'; seq: number; errno: number; code: string }
  | { cmd: typeof marker; type: 'connection'; seq: number; key: string }
  | { cmd: typeof marker; type: 'server'; key: string; extra?: number }
  /** Accept no longer from this extra socket. */
  | { cmd: typeof marker; type: 'dismiss'; origin: BindOrigin; extra: number }
  /**
   * The sockets, by key, from which the process is not to accept for now, although it listens on them; from all others
   * it is. Sent only to processes that can do that.
   */
  | { cmd: typeof marker; type: 'queue'; out: string[] }
  /** A socket that the process has returned, sent back. With `rr` it is one that the process did not listen on. */
  | { cmd: typeof marker; type: 'again'; origin: BindOrigin }
  /**
   * Sent right after the start. Before it, and if `suicide` is false, an uncaught error ends the process as under plain
   * Node. `maxRequests`: 0 for no limit. `failures`: what the daemon wants to hear of; absent in an older nsv.
   */
  | {
      cmd: typeof marker;
      type: 'hello';
      suicide: boolean;
      killTimeout: number;
      maxRequests: number;
      failures?: FailureKind[];
    }
  /** What the daemon wants to hear of from now on. */
  | { cmd: typeof marker; type: 'failures'; failures: FailureKind[] }
  /**
   * Sent instead of the stop signal. `message`: the app expects the message 'shutdown' instead of a signal.
   * `othersServe`: the app has processes that clients can connect to instead. Older daemons do not send it.
   */
  | {
      cmd: typeof marker;
      type: 'drain';
      signal: NodeJS.Signals;
      killTimeout: number;
      message: boolean;
      othersServe?: boolean;
    }
  /** A process that drains need not keep idle connections: no other process serves any more. Older workers ignore it. */
  | { cmd: typeof marker; type: 'hurry' }
  /** The last message: the process has sent what no worker sends, so the daemon closes the channel. */
  | { cmd: typeof marker; type: 'cut-off'; reason: string };
