// The listening sockets of one group, as the rest of the daemon sees them.
import type { ListenAddress } from '../../config/options/parsers.ts';
import type { UpMessage } from '../../ipc/worker-messages.ts';
import type { Address } from '../../os/address.ts';
import type { Handle } from '../../os/sockets/node-handles.ts';
import type { Child, InheritedSocket } from '../launch/launcher.ts';
import type { Accepting } from './accepting.ts';
import type { HeldHandle } from './held-socket.ts';
import type { Keeper } from './keeper.ts';
import type { Listening, Stage } from './listening.ts';
import type { SocketOwner } from './owners-paths.ts';
import type { ProbeLines } from './probe-lines.ts';
import type { Served } from './served.ts';
import type { Terms } from './socket-table.ts';

export interface GroupSockets {
  /** Binds the addresses of `--listen` that are not held yet. Throws CANNOT_LISTEN and then holds none of them. */
  open(addresses: ListenAddress[]): Promise<void>;
  /** The TCP ports of all sockets of the group. */
  readonly ports: number[];
  /** The sockets of `--listen`, for programs that inherit descriptors. They are in the LISTEN state. */
  inherited(): InheritedSocket[];
  /** Handles a message from the preload of the process. */
  receive(child: Child, message: UpMessage, handle?: Handle): void;
  /**
   * Expects a process of a dead daemon, which may have sockets of the group. Nothing new is bound until it has returned
   * them or `timeout` has settled.
   */
  expect(child: Child, timeout: Promise<unknown>): void;
  /** Resolves when the sockets of `--listen` that outlived the previous daemon are back, or never will be, or with `abort`. */
  returned(abort?: AbortSignal): Promise<void>;
  /** All sockets of the group, to hand over to the next daemon. */
  held(): HeldHandle[];
  /** Takes over a socket of the previous daemon. Throws BindError. */
  takeOver(held: HeldHandle): void;
  /** Number of accepted connections that no process has taken yet, and of requests for sockets under way. */
  readonly waiting: number;
  /** Takes processes out of the accept queues for a while. */
  readonly accepting: Pick<Accepting, 'leave' | 'join' | 'holdBack'>;
  /** Asks one process, and not whichever accepts. */
  readonly probing: Pick<ProbeLines, 'serversOf' | 'connect'>;
  /** The process is leaving: it finishes what it has and gets no new connections. */
  leaving(child: Child): void;
  /** The process has lost its channel: whether it has the connections that were on their way is unknown. */
  lost(child: Child): void;
  /** The process no longer accepts connections, and will not again. */
  withdrawn(child: Child): void;
  /** The process is gone: its unacknowledged connections go to other processes. Its sockets stay open. */
  released(child: Child): void;
  /** Whether a process listens where the others of its app do. */
  readonly served: Pick<Served, 'missing' | 'hasAll'>;
  /** What the process could not bind, unless it was given a socket since. */
  refusalOf(child: Child): Refusal | undefined;
  /** The app of this daemon that holds the address; undefined if none does. */
  holderOf(address: Address): string | undefined;
  /** Where each process listens. */
  readonly listening: Pick<Listening, 'addressesOf'>;
  /** `http://localhost:3000`, of the web servers of a Node process. */
  urlsOf(child: Child): string[];
  /** All addresses held for the group, for display. */
  addresses(): string[];
  /** All sockets but those of `--listen`, which are held as long as the app is active. */
  readonly closable: readonly HeldAddress[];
  /** Closes all sockets (stop, delete, giveup). New clients are refused from now on. */
  close(): void;
}

/** A socket that may be closed when nobody listens on it any more. */
export interface HeldAddress {
  /** Whether it waits for a successor of a process that has served it. */
  readonly isKept: boolean;
  /** Whether the process was given the socket, or may have it: one that has not returned, or is about to be given it. */
  isOf(child: Child): boolean;
  close(): void;
}

/** What a process could not bind. An app may swallow the error, so that only the daemon knows why it has ended. */
export interface Refusal {
  address: Address;
  /** `EADDRINUSE`, `EACCES` and so on. */
  code: string;
  /** The app of this daemon that has the address; undefined if it is none of them. */
  holder: string | undefined;
  /** Monotonic time in milliseconds. */
  at: number;
}

/** What the sockets have to know of their app. */
export interface SocketsApp {
  /** The current settings. */
  readonly spec: SocketOwner;
  stageOf(child: Child): Stage;
  /** A process that lives on has closed a socket, or was not given one that was prepared for it. */
  look(): void;
}

export interface GroupSocketsOptions extends Terms {
  /** Whether the processes run Node and request sockets. Others inherit those of `--listen`, the `kernel` way. */
  node: boolean;
  /** Default: an app of the daemon's user, whose processes are starting. */
  app?: SocketsApp;
  /** The bundle of `src/activator`. Default: the installed one. */
  activator?: string;
  /** The monotonic time in milliseconds. Default: it stands still. */
  now?: (() => number) | undefined;
  /** If absent, there is no next daemon. */
  keeper?: Pick<Keeper, 'look' | 'returned'> | undefined;
}
