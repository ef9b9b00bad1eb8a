// One listening address of a group, as the daemon holds it: kernel.ts, reuseport.ts and rr.ts are the ways to share it.
import type { AcceptMode, DownMessage } from '../../ipc/worker-messages.ts';
import type { Address } from '../../os/address.ts';
import type { Handle } from '../../os/handle.ts';
import type { Child } from '../launch/launcher.ts';

/** A living process that was given the socket. */
export interface Member {
  readonly child: Child;
  readonly slot: number;
  /** The message that gave it the socket. Sent again with another handle it means: accept from this one as well. */
  readonly grant: DownMessage;
  /** How often it was given and not closed: an app may close and listen again before the first answer reaches it. */
  grants: number;
}

export interface HeldSocket {
  readonly address: Address;
  /** Whether the process accepts by itself or is handed connections. */
  readonly way: AcceptMode;
  /** By which systemd knows it. */
  readonly name?: string | undefined;
  /** What a process of the slot is to be given. Throws BindError. */
  handleFor(slot: number): Handle;
  /** The process was given its handle. */
  granted?(member: Member): void;
  /** The process accepts from now on. */
  joined?(member: Member): void;
  /** A process finishes what it has; it is to get nothing more. */
  leaving?(member: Member): void;
  /** The process accepts no more: it closed its server, or it died. */
  left?(member: Member): void;
  /** The process has taken over the connection handed to it under this number. */
  accepted?(child: Child, seq: number): void;
  /** It has not: its server is closed. */
  declined?(child: Child, seq: number): void;
  /** A process of the slot has it from a daemon that died, or that daemon gives it. False when there is no use for it. */
  restore?(slot: number | null, handle: Handle): boolean;
  /** All that is open for it, for the next daemon; `slot` is null for what is no slot's own. */
  handles(): { slot: number | null; handle: Handle }[];
  /** Connections that were accepted and are with no process yet. */
  readonly waiting?: number;
  close(): void;
}
