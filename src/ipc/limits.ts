// Limits on what one client can cost the daemon. Times are in milliseconds, sizes in bytes.

export type ServerLimits = typeof defaultLimits;

export const defaultLimits = {
  /** Size of one message from a client. */
  message: 4 * 1024 * 1024,
  /** Time from the first byte of a message to its end. */
  messageTime: 10_000,
  /** Size of all incomplete messages together. If exceeded, the connection with the longest one is closed. */
  held: 32 * 1024 * 1024,
  /** Number of connections. If exceeded, the oldest one without a pending call is closed. */
  connections: 512,
  /** Pending calls per connection, and messages per batch. A config file is started with one call per app, all at once. */
  calls: 1_024,
  /**
   * Size of unread data. A client with more than this is disconnected instead of being sent another message. All calls of a connection may
   * be answered in the same turn, with a kilobyte for each process.
   */
  unread: 2 * 1024 ** 2,
  /** Time between heartbeats during a call. The client's timeout must be several times as long. */
  heartbeat: 2_000,
  /** Time for connections to finish when the server is closed. */
  drainTimeout: 1_000,
};

/** Limits on what one managed process can cost the daemon by its IPC channel. */
export const workerLimits = {
  /** Size of one message. A process that exceeds it loses its channel. */
  message: 4 * 1024 * 1024,
  /** Messages read in one turn of the event loop. Then the channel is left alone for `pause`. */
  perTurn: 200,
  pause: 5,
  /** Size of what a process that keeps sending has not read, and the number of handles among it. */
  unread: 8 * 1024 * 1024,
  unreadHandles: 1_000,
  /** Sockets per app, and addresses per process. */
  sockets: 1_000,
};
