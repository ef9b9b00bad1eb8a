// The messages between a daemon and its successor over Node's IPC channel. The two may run different versions of nsv:
// fields may be added here, but existing ones keep their meaning. Whatever else changes in it, in the state (state/codec.ts) or
// in the messages of workers, needs another version of the state: a candidate of either version then replies `unable`.

/** Where a socket belongs, and the number under which its handle was sent. */
export interface SocketNote {
  app: string;
  key: string;
  /** Whether it was named with `--listen`. */
  fixed: boolean;
  handle: number;
}

/** Everything that a daemon hands over. */
export interface HandOverState {
  /** As written to state.json. */
  state: string;
  sockets: SocketNote[];
  /** The write end of the standard input of each process, which the mark identifies. */
  inputs: { mark: string; handle: number }[];
  /** The socket that is the lock of the home, and the one that receives commands. */
  lock: number;
  server: number;
}

export type ToSuccessor =
  /** The handle travels with the message. */
  | { type: 'handle'; number: number }
  /** The successor answers with `able` or `unable`. The last one sent counts. */
  | { type: 'state'; handOver: HandOverState }
  /** The successor may take the home. The sender blocks until it has, or until the sender's timeout expires. */
  | { type: 'take' };

export type ToPredecessor =
  /** `root`: of its programs. */
  | { type: 'booted'; pid: number; version: string; node: string; program: string; root: string }
  | { type: 'able' }
  | { type: 'unable'; reason: string };
