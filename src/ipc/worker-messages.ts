// Messages between the daemon and the preload of a managed Node process, over Node's own IPC channel. `cmd` starts with
// NODE_, so Node delivers them as 'internalMessage': the app's 'message' handlers never see them, and they do not keep
// the process alive (https://nodejs.org/api/child_process.html#subprocesssendmessage-sendhandle-options-callback).
import type { BindAddress, TcpAddress } from '../os/address.ts';
import type { Question } from './questions.ts';
import type { SpreadDown, SpreadUp } from './spread-messages.ts';

export type { BindAddress, TcpAddress };

export const marker = 'NODE_NSV';

interface Marked {
  cmd: typeof marker;
}

/** The preload removes these, so the program does not see them and its child processes do not inherit them. */
export {
  clusterVariable,
  daemonVariable,
  heldPortsVariable,
  instancesVariable,
  listenEachVariable,
  markVariable,
  settingsVariable,
} from '../os/own-variables.ts';

/** With it begins the `mark` of a keeper of sockets (daemon/sockets/keeper.ts), which no process of an app has. */
export const keeperMark = 'keeper:';

/** The variable by which a keeper is known. */
export const keeperVariable = 'NSV_KEEPER';

/** From the daemon to a keeper of sockets: it has them, or does not need them. */
export interface Released extends Marked {
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
export type HandledErrorKind = 'exception' | 'rejection';

/**
 * With this flag, Node's inspector is not listed at its port, and only who reads standard error knows its address. It opens
 * nothing. https://nodejs.org/api/cli.html#--inspect-publish-uidstderrhttp
 */
export const attachFlag = '--inspect-publish-uid=stderr';

/** The signals that may ask a process to stop. */
export interface StopSignals {
  signal: NodeJS.Signals;
  /** Used instead if the app handles it, and not the other. */
  otherwise?: NodeJS.Signals;
}

/** Those between which there is a choice. */
export const stopSignals = ['SIGTERM', 'SIGINT'] as const;

export function stopSignalOf(
  { signal, otherwise }: StopSignals,
  isHandled: (signal: NodeJS.Signals) => boolean,
): NodeJS.Signals {
  return otherwise && !isHandled(signal) && isHandled(otherwise) ? otherwise : signal;
}

/** Where a process listens. */
export interface ListeningNews {
  key: string;
  address: string;
  /** A socket of the daemon's, whose accept queue the process can leave and join when it is told to. */
  canLeave?: boolean;
  /** Clients were connected to the process when it began to listen. */
  isOnDemand?: boolean;
  /** The server takes connections from the daemon (`probe`). */
  speaks?: ServerSpeech;
  /** It is a web server. */
  scheme?: WebScheme;
}

/** From the managed process to the daemon. */
export type UpMessage = Marked &
  (
    | ({ type: 'listening' } & ListeningNews)
    /** `mayBeTest`: the process may only want to know whether the port is free. */
    | { type: 'bind'; seq: number; address: BindRequest; mayBeTest?: boolean }
    /** It listens on all that it has asked for until now, and is not about to ask for more. */
    | { type: 'serving' }
    | { type: 'closed'; key: string }
    | { type: 'accepted'; seq: number }
    /** The server for the connection is closed, so another process must take it. */
    | { type: 'declined'; seq: number }
    | SpreadUp
    | { type: 'wants-messages' }
    /** Whether the group has a socket at this address. */
    | ({ type: 'check-port'; seq: number } & TcpAddress)
    /**
     * The main module has been evaluated, and nothing more is being loaded. `isIdle`: the program waits for nothing but its own
     * timers, and has not even loaded Node's HTTP server.
     */
    | { type: 'loaded'; isIdle?: boolean }
    /** The program cannot be loaded, as it is, for this reason, and ends. */
    | { type: 'unloadable'; error: string }
    /** The reply to `drain`, which shows that the event loop is not blocked. */
    | { type: 'draining' }
    /** Number of pending HTTP requests. Sent only while draining, when it has changed. */
    | { type: 'in-flight'; count: number }
    /** All requests are answered, and only idle connections are left. Sent once, if `drain` said `othersServe`. */
    | { type: 'only-idle-left' }
    /**
     * A second ago, the app was told to stop, and the process still lives. `waitsFor`: what keeps it alive, by Node's names;
     * `connected`: whom the app is connected to; `failed`: whom it cannot connect to, and why. `isFree`: it has served, no connection
     * of a client is left, and it accepts none. Sent a second time when that becomes true.
     */
    | { type: 'remaining'; isFree: boolean; waitsFor: Record<string, number>; connected: string[]; failed: string[] }
    /** The process has reached its limit of requests. It carries on until it is replaced. Sent once. */
    | { type: 'request-limit'; requests: number }
    /** The app has handled an error, after which it may exit soon. Sent only if `wantedErrors` has its kind. */
    | { type: 'handled-error'; kind: HandledErrorKind }
    /**
     * The process finishes its pending requests and needs a replacement. `by`: the app wants it, or a signal that nsv has not
     * sent; absent if an error is the reason.
     */
    | { type: 'leaving'; reason: string; by?: 'app' | 'signal' }
    /** The app has called `process.disconnect()`. Messages of nsv still arrive, others do not. */
    | { type: 'disconnected' }
    /** The first message to a daemon that did not start this process. `mark` is from its environment. */
    | { type: 'reconnected'; mark: string; pid: number }
    /** A socket received from the previous daemon, sent along with the message. `origin`: what it was granted for. */
    | { type: 'return-socket'; key: string; mode: AcceptMode; origin: BindOrigin }
    /** All sockets have been sent. */
    | { type: 'sockets-returned' }
    /**
     * Whether SIGUSR1 is free to open the inspector. Sent by a process that was started with `attachFlag`, and again if the app
     * wants the signal for itself.
     */
    | { type: 'attachable'; free: boolean }
    /** The app handles a signal that may ask it to stop. Sent once for each, to a daemon whose `hello` has said `handles`. */
    | { type: 'handles'; signal: NodeJS.Signals }
    /** The library nsv/app: whether the app calls itself ready. Sent only by apps that use it; repeated to each new daemon. */
    | { type: 'readiness'; ready: boolean; reason: string }
    /** The library nsv/app: a watchdog timer has fired. `since`: its last reset, in ms since 1970; null if it is reset again. */
    | { type: 'watchdog'; name: string; since: number | null }
    /** About the question with this number. `text` is part of the answer, or the reason why there is none. */
    | { type: 'answer'; question: number; step: AnswerStep; text: string }
    | InAppUp
  );

/** What is said through `nsv/app`, only to a daemon whose `hello` has said `inApp`. */
export type InAppUp = Marked &
  /** The runtime settings that the process has now. */
  (
    | { type: 'settings-held'; version: number }
    /** The reply to `settings-proposed`. `reason`: why a check of the app rejects them. */
    | { type: 'settings-vote'; proposal: number; reason?: string }
    /** Whether the app listens to broadcasts, and whether it has metrics. Told when it changes, and to each daemon. */
    | { type: 'capabilities'; messages: boolean; metrics: boolean; checks: boolean }
    /** For the other instances of the app. `text` is JSON. */
    | { type: 'broadcast'; text: string }
    /** How many broadcasts the app has received since it last said so. */
    | { type: 'broadcasts-received'; count: number }
    | { type: 'ask-instances'; seq: number }
    /** What the app has counted, as JSON. The last message of a process. */
    | { type: 'counters'; text: string }
    /**
     * The library nsv/queue: which part the process has in a queue, which is kept in `place`. `owner`: what the process is called there.
     * Told when it changes, and to each daemon.
     */
    | { type: 'queue'; name: string; place: string; owner: string; part: QueuePart }
  );

/** `open`: the process may add tasks, and tell about them. `works`: it works on them, too. */
export type QueuePart = 'closed' | 'open' | 'works';

/** For the part of the worker that serves `nsv/app`. */
export type InAppDown = Marked &
  /** Whether the app accepts these runtime settings. `values` is JSON. */
  (
    | { type: 'settings-proposed'; proposal: number; values: string }
    /** The runtime settings from now on, whatever they were. */
    | { type: 'settings'; version: number; values: string }
    /** From another instance of the app. */
    | { type: 'broadcast'; from: number; text: string }
    | { type: 'instances'; seq: number; instances: InstanceView[] }
    /** Processes that have worked on this queue, and have ended. */
    | { type: 'owners-gone'; name: string; place: string; owners: string[] }
  );

/** A process of the app that runs, or has ended not long ago. */
export interface InstanceView {
  /** Number of the instance within its app, from 0. */
  slot: number;
  /** The `pm_id`. */
  id: number;
  pid: number;
  host: string;
  alive: boolean;
  /** When it was started, in milliseconds since 1970. */
  since: number;
  /** When it was last known to run, in milliseconds since 1970. */
  lastSeen: number;
}

/** Bytes of one broadcast as JSON. */
export const longestBroadcast = 64 * 1024;
/** Characters as JSON of what an app has counted, in its processes that have ended. */
export const longestCounts = 64 * 1024;
/** Broadcasts of one process in a second. */
export const mostBroadcasts = 100;

/**
 * `begun`: the event loop turns. After each `part`, the process waits until it is asked for more. `done` and `refused` are
 * the last.
 */
export type AnswerStep = 'begun' | 'part' | 'done' | 'refused';

/** Characters of one part of an answer. */
export const longestPart = 64 * 1024;

/** What a client has to speak: plain http2 understands nothing else. */
export type ServerSpeech = 'any' | 'http2';

/** Of a server that browsers can talk to. */
export type WebScheme = 'http' | 'https';

/** What a group has at an address: no socket, one on which nobody listens for now, or one on which a process of the group does. */
export type PortUse = 'nobody' | 'idle' | 'served';

/** Whether a process accepts connections itself or receives them from the daemon. */
export type AcceptMode = 'handle' | 'handed';
/** The number of the request that a socket was granted for, or the key of a `--listen` address. */
export type BindOrigin = number | string;

/** From the daemon to the managed process. Handles are sent along with the message. */
export type DownMessage = Marked &
  (
    | { type: 'refused'; seq: number; errno: number; code: string }
    /** `isOut`: the process is to be out of the accept queue as soon as it listens. */
    | { type: 'granted'; seq: number; key: string; mode: AcceptMode; isOut?: boolean }
    /** Only sockets of the app are in the way. The reply to `bind` with `mayBeTest`: if it is none, the process asks again. */
    | { type: 'in-own-way'; seq: number }
    /** The process is to bind it by itself. */
    | { type: 'unshared'; seq: number }
    | { type: 'port-checked'; seq: number; holding: PortUse }
    | { type: 'connection'; seq: number; key: string }
    | SpreadDown
    /** A connection of the daemon, which wants an answer of this process. Sent only to processes that take it. */
    | { type: 'probe'; seq: number; key: string }
    /** Whether clients are to connect elsewhere while the process is out of the queue. */
    | { type: 'unready'; on: boolean }
    | { type: 'server'; key: string }
    /**
     * The sockets, by key, from which the process is not to accept for now, although it listens on them; from all others
     * it is. Sent only to processes that can do that.
     */
    | { type: 'accept-queue'; out: string[] }
    /** A socket that the process has returned, sent back. With `rr` it is one that the process did not listen on. */
    | { type: 'restore-socket'; origin: BindOrigin }
    /**
     * Sent right after the start. Before it, and if `drainOnCrash` is false, an uncaught error ends the process as under plain
     * Node. `maxRequests`: 0 for no limit. `wantedErrors`: the handled errors that are to be reported.
     */
    | {
        type: 'hello';
        drainOnCrash: boolean;
        killTimeout: number;
        maxRequests: number;
        wantedErrors: HandledErrorKind[];
        /**
         * Present if a thread may tell the stack of the main thread, over descriptor `fd`. It is started `now`, or when it turns out that
         * the daemon cannot attach.
         */
        stackThread?: { fd: number; now: boolean };
      }
    /** The handled errors that are to be reported from now on. */
    | { type: 'wanted-errors'; wantedErrors: HandledErrorKind[] }
    /**
     * Sent instead of the stop signal. `message`: the app expects the message 'shutdown' instead of a signal.
     * `othersServe`: the app has processes that clients can connect to instead.
     */
    | ({ type: 'drain'; killTimeout: number; message: boolean; othersServe: boolean } & StopSignals)
    /** A process that drains need not keep idle connections: no other process serves any more. */
    | { type: 'stop-keeping-idle' }
    /** A question about the process itself, with a number that is used once. */
    | { type: 'ask'; question: number; about: Question }
    /** The previous part of the answer has reached the client. */
    | { type: 'next-part'; question: number }
    /** Nobody wants the answer any longer. */
    | { type: 'cancel'; question: number }
    | InAppDown
    /** The last message: the process has sent what no worker sends, so the daemon closes the channel. */
    | { type: 'close-channel'; reason: string }
  );
