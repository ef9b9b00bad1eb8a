// What a daemon and the one that is to take its place say to each other over Node's IPC channel. The two may be of different
// versions of nsv: fields may be added here, but what is there keeps its meaning.

/** Where it belongs, and the number under which the handle itself was sent. */
export interface SocketNote {
  app: string;
  key: string;
  slot: number | null;
  /** Named with `--listen`. */
  fixed: boolean;
  handle: number;
}

/** The writing end of the standard input of a process, which is known by its mark. */
export interface InputNote {
  mark: string;
  handle: number;
}

/** All that a daemon has. */
export interface HandOverState {
  /** As it is written to state.json. */
  state: string;
  sockets: SocketNote[];
  inputs: InputNote[];
  /** The socket that is the lock of the home, and the one on which commands are heard. */
  lock: number;
  server: number;
}

export type ToSuccessor =
  /** The handle travels beside it. */
  | { type: 'handle'; number: number }
  /** Is to be answered with `able` or `unable`. The last one counts. The name is that of the first version. */
  | { type: 'estate'; estate: HandOverState }
  /** The home is yours. From now on the sender does nothing, until it reads another pid in daemon.pid, or has no more patience. */
  | { type: 'take' };

export type ToPredecessor =
  | { type: 'booted'; pid: number; version: string; node: string; program: string }
  | { type: 'able' }
  | { type: 'unable'; reason: string };
