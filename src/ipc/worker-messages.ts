// What the daemon and the preload of a managed Node process say to each other, over Node's own IPC channel.
// `cmd` starts with NODE_, so Node delivers these as 'internalMessage': no 'message' handler of the user's ever sees
// one, and they do not keep the process alive (https://nodejs.org/api/child_process.html#subprocesssendmessage-sendhandle-options-callback).

export const marker = 'NODE_NSV';

/**
 * Variables of a process: its mark (daemon/state/mark.ts), and where a Node program reports when its daemon has died. Node
 * programs never see them: the preload takes them away, so that what they start does not carry them.
 */
export const markVariable = 'NSV_MARK';
export const daemonVariable = 'NSV_DAEMON';

/** What a server of the app wants to listen on. Host names are resolved before they get here. */
export interface Wish {
  kind: 'tcp' | 'pipe' | 'udp4' | 'udp6';
  /** An IP address; absent for "any", which prefers :: and falls back to 0.0.0.0. */
  host?: string;
  port?: number;
  path?: string;
  ipv6Only?: boolean;
  /** Counts the app's wishes for port 0 (and for the same address), so that each gets its own socket. */
  index: number;
}

/** From the managed process to the daemon. */
export type UpMessage =
  | { cmd: typeof marker; type: 'wish'; seq: number; wish: Wish }
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
  | { cmd: typeof marker; type: 'held'; key: string; way: Way; origin: Origin }
  /** That was all of it. */
  | { cmd: typeof marker; type: 'returned' };

/** Whether a process accepts by itself or is handed connections. */
export type Way = 'handle' | 'rr';
/** The number of the wish that a socket was granted for, or the key of a `--listen` address. */
export type Origin = number | string;

/** From the daemon to the managed process; the handle travels beside the message. */
export type DownMessage =
  | { cmd: typeof marker; type: 'granted'; seq: number; key: string; way: Way }
  | { cmd: typeof marker; type: 'refused'; seq: number; errno: number; code: string }
  | { cmd: typeof marker; type: 'connection'; seq: number; key: string }
  | { cmd: typeof marker; type: 'server'; key: string }
  /** The socket that it has handed over, once more: for `rr`, one that was not listened on by the process. */
  | { cmd: typeof marker; type: 'again'; origin: Origin }
  /** Right after the start. Without it the process ends as under plain Node. `maxRequests`: 0 for no limit. */
  | { cmd: typeof marker; type: 'hello'; suicide: boolean; killTimeout: number; maxRequests: number }
  /** In place of the stop signal. `message`: the app wants 'shutdown' instead of a signal. */
  | { cmd: typeof marker; type: 'drain'; signal: NodeJS.Signals; killTimeout: number; message: boolean };
