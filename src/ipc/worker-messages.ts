// What the daemon and the preload of a managed Node process say to each other, over Node's own IPC channel.
// `cmd` starts with NODE_, so Node delivers these as 'internalMessage': no 'message' handler of the user's ever sees
// one, and they do not keep the process alive (https://nodejs.org/api/child_process.html#subprocesssendmessage-sendhandle-options-callback).

import type { BindAddress } from '../os/address.ts';

export type { BindAddress };

export const marker = 'NODE_NSV';

/**
 * Variables of a process: its mark (daemon/process/mark.ts), and where a Node program reports when its daemon has died. Node
 * programs never see them: the preload takes them away, so that what they start does not carry them.
 */
export const markVariable = 'NSV_MARK';
export const daemonVariable = 'NSV_DAEMON';

/** What a server of the app wants to listen on. */
export interface BindRequest extends BindAddress {
  /** Counts the app's requests for port 0 (and for the same address), so that each gets its own socket. */
  index: number;
}

/** From the managed process to the daemon. `wish` is a request to bind. */
export type UpMessage =
  | { cmd: typeof marker; type: 'wish'; seq: number; wish: BindRequest }
  | { cmd: typeof marker; type: 'listening'; key: string; address: string }
  | { cmd: typeof marker; type: 'closed'; key: string }
  | { cmd: typeof marker; type: 'accepted'; seq: number }
  /** The server for the connection is closed: it is for another process. */
  | { cmd: typeof marker; type: 'declined'; seq: number }
  | { cmd: typeof marker; type: 'wants-messages' }
  /** The answer to `drain`: the loop is not blocked. */
  | { cmd: typeof marker; type: 'draining' }
  /** HTTP requests that are not answered yet; only while draining, and when it has changed. */
  | { cmd: typeof marker; type: 'in-flight'; count: number }
  /** It has been asked as many requests as it may; it goes on until it is replaced. Told once. */
  | { cmd: typeof marker; type: 'spent'; requests: number }
  /** It goes on answering what it has, and needs a replacement. */
  | { cmd: typeof marker; type: 'suicide'; reason: string }
  /** To the daemon after the one that started it: the first word. `mark`: what its environment has said of it. */
  | { cmd: typeof marker; type: 'back'; mark: string; pid: number }
  /** A socket that it has from the daemon before; the handle travels beside the message. `origin`: what it was given by. */
  | { cmd: typeof marker; type: 'held'; key: string; way: AcceptMode; origin: BindOrigin }
  /** That was all of it. */
  | { cmd: typeof marker; type: 'returned' };

/** Whether a process accepts by itself or is handed connections. */
export type AcceptMode = 'handle' | 'rr';
/** The number of the request that a socket was granted for, or the key of a `--listen` address. */
export type BindOrigin = number | string;

/** From the daemon to the managed process; the handle travels beside the message. */
export type DownMessage =
  | { cmd: typeof marker; type: 'granted'; seq: number; key: string; way: AcceptMode }
  | { cmd: typeof marker; type: 'refused'; seq: number; errno: number; code: string }
  | { cmd: typeof marker; type: 'connection'; seq: number; key: string }
  | { cmd: typeof marker; type: 'server'; key: string }
  /** The socket that it has handed over, once more: for `rr`, one that was not listened on by the process. */
  | { cmd: typeof marker; type: 'again'; origin: BindOrigin }
  /** Right after the start. Without it the process ends as under plain Node. `maxRequests`: 0 for no limit. */
  | { cmd: typeof marker; type: 'hello'; suicide: boolean; killTimeout: number; maxRequests: number }
  /** In place of the stop signal. `message`: the app wants 'shutdown' instead of a signal. */
  | { cmd: typeof marker; type: 'drain'; signal: NodeJS.Signals; killTimeout: number; message: boolean };
