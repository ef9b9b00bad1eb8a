// The daemon, as long as the program wants it: one connection after another, for daemons may die and be replaced.
import { launchDaemon } from '../client/daemon-launch.ts';
import { openSession } from '../client/session.ts';
import type { Connection } from '../ipc/client.ts';
import { failure } from '../shared/errors.ts';
import type { HomePaths } from '../shared/paths.ts';

export class DaemonConnections {
  readonly #paths: HomePaths;
  readonly #open = new Set<Connection>();
  #shared: Promise<Connection> | undefined;
  #isClosed = false;

  constructor(paths: HomePaths) {
    this.#paths = paths;
  }

  /** The connection of all calls, or another one where that is over. A daemon is launched only where that is said. */
  async shared(launch: boolean): Promise<Connection> {
    const known = this.#shared;
    if (known && (await isOpen(known))) return known;
    // Another call has opened one meanwhile: one that could not launch a daemon may have failed where this one would not.
    if (this.#shared !== known) return this.shared(launch);
    this.#shared = this.own(launch);
    return this.#shared;
  }

  /** A connection for one purpose. */
  async own(launch: boolean): Promise<Connection> {
    const connection = await openSession({ launch, paths: this.#paths, loadLauncher: async () => launchDaemon });
    if (this.#isClosed) connection.close();
    this.#open.add(connection);
    // It never rejects.
    void connection.closed.then(() => this.#open.delete(connection));
    return connection;
  }

  /** Whatever goes wrong after `close` has gone wrong because of it. */
  async run<T>(method: string, job: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw failure('CLOSED', { method });
    try {
      return await job();
    } catch (error) {
      throw this.#isClosed ? failure('CLOSED', { method }, { cause: error }) : error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const closing = [...this.#open];
    for (const connection of closing) connection.close();
    await Promise.all(closing.map(({ closed }) => closed));
  }
}

function isOpen(opening: Promise<Connection>): Promise<boolean> {
  return opening.then(
    (connection) => connection.isOpen,
    () => false,
  );
}
