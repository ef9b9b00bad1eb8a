// The client: a typed function per method of the protocol.
// `nsv list` loads this file on every run, so of Node it imports only sockets.
import type { Socket } from 'node:net';
import { dial, meansNobody } from '../os/socket-file.ts';
import { detailOf, failure, isFailure } from '../shared/errors.ts';
import type { HomePaths } from '../shared/paths.ts';
import { protocolVersion, version } from '../shared/version.ts';
import { ClientConnection } from './client-connection.ts';
import type { CallerView, EventView, JournalEnd } from './journal/event-views.ts';
import { isNoted } from './journal/noted.ts';
import { withPatterns } from './patterns.ts';
import {
  type AnswerPart,
  type Client,
  effectOf,
  type Hello,
  type MethodName,
  methods,
  type ProgressListener,
  type Report,
} from './protocol.ts';
import { type DescribedApps, withEnvironments } from './records/described-apps.ts';

/** Milliseconds. The daemon sends a heartbeat every 2 s during a call. */
const defaultSilence = 10_000;

export interface DialOptions {
  /** Milliseconds without data from the daemon after which a call fails with DAEMON_SILENT. Default 10,000. */
  silence?: number;
  /** Accepts a daemon with another protocol version. Only call methods that are the same in all versions. */
  anyProtocol?: boolean;
}

export interface Connection {
  /** Its calls reject with the daemon's own NsvError, or with DAEMON_SILENT or DAEMON_UNREACHABLE. */
  readonly client: Client;
  readonly hello: Hello;
  /**
   * Receives the progress of pending calls, except those made with a report of their own. The same text repeats while nothing changes,
   * unless it is lasting.
   */
  onProgress(listener: ProgressListener): void;
  /** Receives the events that `follow` subscribed to. */
  onEvent(listener: (event: EventView) => void): void;
  /** Receives the answers to `inspect`, part by part. */
  onPart(listener: (part: AnswerPart) => void): void;
  /** Receives the end of the journal when `follow` with `journal` begins, before the first event. */
  onFollowing(listener: (end: JournalEnd) => void): void;
  /** `describe` tells who gives commands on this connection. Called for each command that does more than look. */
  introduce(describe: () => CallerView): void;
  close(): void;
  /** Whether calls can still be made. */
  readonly isOpen: boolean;
  /** Resolves when either side has closed the connection. */
  readonly closed: Promise<void>;
}

/** Connects to the daemon. Rejects with DAEMON_NOT_RUNNING, DAEMON_UNREACHABLE, DAEMON_SILENT or VERSION_MISMATCH. */
export async function openConnection(
  paths: HomePaths,
  { silence = defaultSilence, anyProtocol = false }: DialOptions = {},
): Promise<Connection> {
  const connection = new ClientConnection(await reach(paths, silence), paths, silence);
  try {
    const hello = await connection.greeting;
    if (hello.protocol !== protocolVersion && !anyProtocol)
      throw failure('VERSION_MISMATCH', { ours: version, theirs: hello.version });
    let isMeant = (_event: EventView) => true;
    let describe: (() => CallerView) | undefined;
    return {
      client: withPatterns(
        createClient(connection, () => describe?.()),
        (filter) => {
          isMeant = filter;
        },
      ),
      hello,
      onProgress: (listener) => connection.onProgress(listener),
      onEvent: (listener) => connection.onEvent((event) => isMeant(event) && listener(event)),
      onPart: (listener) => connection.onPart(listener),
      onFollowing: (listener) => connection.onFollowing(listener),
      introduce: (description) => {
        describe = description;
      },
      close: () => connection.close(),
      get isOpen() {
        return connection.isOpen;
      },
      closed: connection.closed,
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Like `openConnection`, but resolves to undefined if no daemon is running. */
export async function connectIfRunning(paths: HomePaths, options?: DialOptions): Promise<Connection | undefined> {
  try {
    return await openConnection(paths, options);
  } catch (error) {
    if (isFailure(error, 'DAEMON_NOT_RUNNING')) return undefined;
    throw error;
  }
}

async function reach({ home, socket }: HomePaths, timeout: number): Promise<Socket> {
  try {
    return await dial(socket, timeout);
  } catch (cause) {
    if (meansNobody(cause)) throw failure('DAEMON_NOT_RUNNING', { home }, { cause });
    throw failure('DAEMON_UNREACHABLE', { socket, detail: detailOf(cause) }, { cause });
  }
}

type Describe = () => CallerView | undefined;

function createClient(connection: ClientConnection, describe: Describe): Client {
  const names = Object.keys(methods) as MethodName[];
  return Object.fromEntries(names.map((name) => [name, callOf(connection, name, describe)])) as Client;
}

function callOf(connection: ClientConnection, name: MethodName, describe: Describe) {
  const call = (params: object, report?: Report) =>
    connection.call(name, params, report, isNoted(name, params) ? describe() : undefined);
  if (name !== 'describe') return call;
  return async (params: object, report?: Report) => withEnvironments((await call(params, report)) as DescribedApps);
}

/**
 * Whether a call that failed because the daemon died or was replaced can be repeated to the next one. Without HANDED_OVER only the first
 * failure is retried (`isFirst`), in case the call itself crashes the daemon.
 */
export function canAskAgain(name: MethodName, error: unknown, isFirst: boolean): boolean {
  if (isFailure(error, 'HANDED_OVER')) return true;
  return isFirst && effectOf(name).isRepeatable && isFailure(error, 'DAEMON_UNREACHABLE');
}
