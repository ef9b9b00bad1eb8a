// What the preload offers to the libraries `nsv/app` and `nsv/queue`, which have no channel of their own. Both sides are of one
// process but may be of two versions of nsv: the app has installed one, and its daemon may be of another. So what is here stays
// as it is; what is added is optional, and the library asks whether it is there.
import type { QueueQuestion } from '../questions.ts';
import type { DownMessage, InAppUp, UpMessage } from '../worker-messages.ts';

/** The property of `process` that holds the bridge. */
export const bridgeKey = Symbol.for('nsv.worker');

type WithoutMarker<M> = M extends unknown ? Omit<M, 'cmd'> : never;

/** From the library to the daemon. A new type is added here and to the table in up-message.ts. */
export type LibraryMessage =
  | WithoutMarker<Extract<UpMessage, { type: 'readiness' | 'watchdog' }>>
  | WithoutMarker<InAppUp>;

/** From the daemon to the library. A new type is added here and to `appTypes`. */
export type ForApp = Extract<DownMessage, { type: 'broadcast' | 'instances' | 'owners-gone' }>;

export const appTypes: ReadonlySet<string> = new Set<ForApp['type']>(['broadcast', 'instances', 'owners-gone']);

/** `values`: an object as JSON. Version 0 if there are none. */
export interface HeldSettings {
  version: number;
  values: string;
}

export interface SettingsListener {
  /** Calls `vote` once, with the reason if the app rejects the values. */
  check(values: string, vote: (reason?: string) => void): void;
  /** There is another version. */
  changed(): void;
}

export interface Bridge {
  /** Raised if something is taken away or changed, which nobody should ever have to do. */
  readonly version: 1;
  /** How many instances the app had when this process was started. */
  readonly instances: number;
  /** Sends it to the daemon. Returns false if there is none at the moment: what must not be lost is repeated by `onReconnected`. */
  send(message: LibraryMessage): boolean;
  /** Calls `handle` with each message of this type. Only the last one that was registered for a type is called. */
  onMessage<T extends ForApp['type']>(type: T, handle: (message: Extract<ForApp, { type: T }>) => void): void;
  /** Calls `report` once each new daemon is connected. */
  onReconnected(report: () => void): void;
  /** The library takes part in the end of the process. If that has begun already, `begin` is called at once. */
  takePart(part: ShutdownPart): void;
  /**
   * The process ends by itself: requests are answered, and a successor starts at once if it has servers. Calls `begin` and
   * later `proceed`. `by`: who wants it; a signal did not come from nsv. Returns false if the process is ending already.
   */
  leave(reason: string, by: 'app' | 'signal'): boolean;
  /** The runtime settings of this process. */
  settings: { held(): HeldSettings; listen(listener: SettingsListener): void };
  /**
   * `read` returns the metrics of the app, when somebody wants to see them. `readCounts`: as JSON, what must not be gone with the process.
   */
  offerMetrics(read: () => object, readCounts: () => string): void;
  /** `answer` tells about a queue of `nsv/queue`, or changes it. Rejects with the reason why it does not. */
  offerQueues(answer: (about: QueueQuestion) => Promise<object>): void;
}

/** What the library does at the end of the process. */
export interface ShutdownPart {
  /** Whether there is anything to do. If not, the process ends as without the library. */
  isUsed(): boolean;
  /** The daemon kills the process after `limit` ms. Requests are still being answered. */
  begin(why: { reason: string; limit: number }): void;
  /** All requests are answered. It ends the process, by `exit` if that is given. */
  proceed(exit?: (code: number) => void): void;
}
