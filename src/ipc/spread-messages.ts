// What is said about connections that another process may have (daemon/sockets/ways/spread.ts).

/** From the process to the daemon. */
export type SpreadUp =
  /**
   * It has accepted a connection that another process may have. `seq`: a number of its own. `open`: how many connections it has besides.
   * `waiting`: how many it has accepted since, and is going to offer.
   */
  | { type: 'offer'; key: string; seq: number; open: number; waiting: number }
  /** The connection, sent along with the message. The process keeps its descriptor until the answer (`passed-on`). */
  | { type: 'pass-on'; key: string; seq: number }
  /** It serves the connection itself, although it is wanted: the answer took too long. */
  | { type: 'taken-back'; key: string; seq: number }
  /** The answer to `count`. Null if its server takes no connections from the daemon. */
  | { type: 'counted'; key: string; open: number | null };

/** From the daemon to the process. */
export type SpreadDown =
  /** Whether the process is to pass on connections of the socket, if they last: others accept there too. */
  | { type: 'spread'; key: string; on: boolean }
  /** How many connections of the socket it has. */
  | { type: 'count'; key: string }
  /**
   * Whether the process is to pass on the connection that it has offered, or to serve it. For the next second, it offers none while it
   * has fewer than `keep`.
   */
  | { type: 'offer-answered'; seq: number; isWanted: boolean; keep: number }
  /** The daemon has given the connection to another process. */
  | { type: 'passed-on'; seq: number };
