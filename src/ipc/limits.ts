// What one client may cost the daemon. Times in milliseconds, sizes in bytes.

export interface Limits {
  /** One message from a client. */
  message: number;
  /** A message that has begun must have ended. */
  messageTime: number;
  /** All messages together that have begun and not ended; when it is exceeded, the longest one has to go. */
  held: number;
  /** Connections; when they are exceeded, the oldest one without a call under way has to go. */
  connections: number;
  /** Calls under way on one connection, and messages in one batch. */
  calls: number;
  /** Bytes that may wait for a client that does not read, before the next message for it. */
  unread: number;
  /** Time between two signs of life during a call. The client's patience must be several times as long. */
  heartbeat: number;
  /** Time in which connections may end by themselves when the server is closed. */
  farewell: number;
}

export const defaultLimits: Limits = {
  message: 4 * 1024 * 1024,
  messageTime: 10_000,
  held: 32 * 1024 * 1024,
  connections: 512,
  calls: 32,
  unread: 256 * 1024,
  heartbeat: 2_000,
  farewell: 1_000,
};
