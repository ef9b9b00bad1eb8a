// Hears from Redis what happens in a queue, on a connection of its own: it waits in a command.
import type { IRedisClient, RedisConnection, RedisQueueBackend } from 'bullmq';
import { wait } from '../../../app/clock.ts';
import type { RedisStoreConnection } from './connection.ts';

/** Those after which a look is worth it: for who works on the queue, and for who waits for a result. */
const events = new Set([
  ...['waiting', 'delayed', 'completed', 'failed', 'stalled', 'removed'],
  ...['paused', 'resumed', 'progress'],
]);
/** Milliseconds for which one command waits. */
const longest = 10_000;
/** Milliseconds before the next command. A busy queue has thousands of events a second, and those of this time are read together. */
const calm = 20;
/** Milliseconds before the next attempt, if that failed: the connection is lost, and comes back by itself. */
const timeout = 1_000;

/** Returns how to end that. */
export function watchQueue(connection: RedisStoreConnection, queue: string, changed: () => void): () => void {
  let watcher: Watcher | undefined;
  let isOver = false;
  connection.first().then(
    (client) => {
      if (!isOver) watcher = new Watcher(connection, client, queue, changed);
    },
    // The calls of the queue say so. Until then it looks by itself from time to time.
    () => {},
  );
  return () => {
    isOver = true;
    watcher?.close();
  };
}

/** `QueueEvents` of BullMQ would read, and parse, each event by itself, with the results of the tasks in them. */
class Watcher {
  readonly #connection: RedisConnection;
  readonly #backend: RedisQueueBackend;
  readonly #changed: () => void;
  #isClosed = false;

  constructor(connection: RedisStoreConnection, client: IRedisClient, name: string, changed: () => void) {
    const { RedisConnection } = connection.library;
    // A command that waits for seconds is late by nature, and is to be sent again.
    const own = client.duplicate({ maxRetriesPerRequest: null, commandTimeout: undefined });
    own.on('error', () => {});
    this.#connection = new RedisConnection(own, { shared: false, blocking: true });
    this.#connection.on('error', () => {});
    this.#backend = connection.backend(name, { connection: own }, this.#connection);
    this.#changed = changed;
    // It does not reject.
    void this.#listen();
  }

  close(): void {
    this.#isClosed = true;
    this.#connection.close(true).catch(() => {});
  }

  async #listen(): Promise<void> {
    let last: string | undefined;
    while (!this.#isClosed) {
      const failed = await this.#read(last).then(
        (found) => {
          last = found;
        },
        (error: Error) => error,
      );
      await wait(failed ? timeout : calm, { isWaitedFor: false });
    }
  }

  /** Waits for what follows the event `last`. Returns the latest one. */
  async #read(last: string | undefined): Promise<string | undefined> {
    if (last === undefined) {
      await this.#backend.waitUntilReady();
      // From here on nothing is missed.
      this.#changed();
    }
    const found = (await this.#backend.readEvents(last ?? '$', longest))?.[0]?.[1] ?? [];
    if (found.some(([, fields]) => events.has(fields[fields.indexOf('event') + 1] ?? ''))) this.#changed();
    return found.at(-1)?.[0] ?? last;
  }
}
