// A listening address of a group, held by the daemon. The files in `ways` are the ways to share it.
import type { AcceptMode, DownMessage } from '../../ipc/worker-messages.ts';
import type { Address } from '../../os/address.ts';
import type { Bound } from '../../os/sockets/handle.ts';
import type { Handle } from '../../os/sockets/node-handles.ts';
import type { Child } from '../launch/launcher.ts';

/** A message that gives a process a socket. */
export type Grant = Extract<DownMessage, { type: 'granted' | 'server' }>;

export interface Offer {
  /** The number by which the process knows the connection. */
  seq: number;
  /** How many connections it has besides. */
  open: number;
}

/** A living process that was given the socket. */
export interface SocketMember {
  readonly child: Child;
  /** Number of open grants: an app may close and listen again before the first reply reaches it. */
  grants: number;
}

export interface HeldSocket {
  readonly address: Address;
  /** Whether the process accepts connections itself or receives them from the daemon. */
  readonly way: AcceptMode;
  /** The name that systemd knows it by. */
  readonly name?: string | undefined;
  /** The handle for a process. Throws BindError. */
  handle(): Handle;
  /** Continues with another socket of the same path, because the file of this one is gone. Throws BindError. */
  replace?(bound: Bound): void;
  /** The process has begun to accept. */
  joined?(member: SocketMember): void;
  /** The process finishes what it has and must get no new connections. */
  leaving?(member: SocketMember): void;
  /** The process is about to leave the accept queue for a while, and another one accepts. */
  suspended?(member: SocketMember): void;
  /** The process was told to accept again. */
  resumed?(member: SocketMember): void;
  /** The process no longer accepts: it closed its server, or it died. */
  left?(member: SocketMember): void;
  /** The process has taken the connection with this number. */
  accepted?(child: Child, seq: number): void;
  /** The process has not taken the connection, because its server is closed. */
  declined?(child: Child, seq: number): void;
  /** The process has accepted a connection that another may have. */
  offered?(child: Child, offer: Offer): void;
  /** The process has sent the connection that was wanted. */
  passed?(child: Child, seq: number, client: Handle): void;
  /** How many connections of the socket the process has. Null if it takes none from the daemon. */
  counted?(child: Child, open: number | null): void;
  /** Whether the process has taken its connections cannot be known. It does not get others before it joins again. */
  lost?(child: Child): void;
  /** For the next daemon. Undefined if that gets it from elsewhere. */
  readonly heldHandle: Handle | undefined;
  /** Number of accepted connections that no process has taken yet. */
  readonly waiting?: number;
  close(): void;
}

/** For the next daemon. */
export interface HeldHandle {
  key: string;
  /** Whether it was named with `--listen`. */
  fixed: boolean;
  handle: Handle;
}

let lastHandOff = 0;

/** A number for a connection that is handed to a process: unique within the daemon, so that an acknowledgement identifies one. */
export function nextHandOff(): number {
  lastHandOff += 1;
  return lastHandOff;
}
