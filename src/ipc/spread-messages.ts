// What is said about connections that another process may have (daemon/sockets/ways/spread.ts).

/** From the process to the daemon. */
export type SpreadUp =
  /** It has accepted a connection that another process may have. `seq`: a number of its own. `open`: how many connections it has besides. */
  | { type: 'offer'; key: string; seq: number; open: number }
  /** The connection, sent along with the message. The process keeps its descriptor until the answer (`passed-on`). */
  | { type: 'pass-on'; key: string; seq: number }
  /** The answer to `count`. Null if its server takes no connections from the daemon. */
  | { type: 'counted'; key: string; open: number | null };

/** From the daemon to the process. */
export type SpreadDown =
  /** How many other processes accept on the socket, with which the process is to share connections that last. */
  | { type: 'spread'; key: string; others: number }
  /** How many connections of the socket it has. */
  | { type: 'count'; key: string }
  /** Whether the process is to pass on the connection that it has offered, or has sent, or to serve it. */
  | { type: 'offer-answered'; seq: number; isWanted: boolean }
  /** The daemon has given the connection to another process. */
  | { type: 'passed-on'; seq: number };
