// Hears from Redis what happens in a queue, on a connection of its own: it waits in a command.
import type { IRedisClient, QueueEvents, RedisConnection } from 'bullmq';
import type { Connection } from './connection.ts';

/** Those after which a look is worth it: for who works on the queue, and for who waits for a result. */
const events = [
  ...(['waiting', 'delayed', 'completed', 'failed', 'stalled', 'removed'] as const),
  ...(['paused', 'resumed', 'progress'] as const),
];

/** Returns how to end that. */
export function watchQueue(connection: Connection, queue: string, prefix: string, changed: () => void): () => void {
  let watcher: Watcher | undefined;
  let isOver = false;
  connection.first().then(
    (client) => {
      if (!isOver) watcher = new Watcher(connection, client, queue, prefix, changed);
    },
    // The calls of the queue say so. Until then it looks by itself from time to time.
    () => {},
  );
  return () => {
    isOver = true;
    watcher?.close();
  };
}

class Watcher {
  readonly #connection: RedisConnection;
  readonly #events: QueueEvents;

  constructor(connection: Connection, client: IRedisClient, name: string, prefix: string, changed: () => void) {
    const { QueueEvents, RedisConnection } = connection.library;
    // A command that waits for seconds is late by nature, and is to be sent again.
    const own = client.duplicate({ maxRetriesPerRequest: null, commandTimeout: undefined });
    const ignore = () => {};
    own.on('error', ignore);
    this.#connection = new RedisConnection(own, { shared: false, blocking: true });
    this.#connection.on('error', ignore);
    this.#events = new QueueEvents(name, { connection: own, prefix }, (queue, options) =>
      connection.backend(queue, options, this.#connection),
    );
    this.#events.on('error', ignore);
    for (const event of events) this.#events.on(event, changed);
    // From here on nothing is missed.
    this.#events.waitUntilReady().then(changed, ignore);
  }

  close(): void {
    this.#events.removeAllListeners();
    this.#events.on('error', () => {});
    this.#events.close().catch(() => {});
    this.#connection.close(true).catch(() => {});
  }
}
