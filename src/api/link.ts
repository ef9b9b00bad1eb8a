// The connections of a program to the daemon, which is replaced by a new one after a crash or an update.
import { describeCaller } from '../client/caller.ts';
import { launchDaemon } from '../client/daemon-launch.ts';
import { openSession } from '../client/session.ts';
import type { Connection } from '../ipc/client.ts';
import { givenEnvironment } from '../os/process-1.ts';
import { failure } from '../shared/errors.ts';
import type { HomePaths } from '../shared/paths.ts';

export class DaemonConnections {
  readonly #paths: HomePaths;
  readonly #open = new Set<Connection>();
  #shared: Promise<Connection> | undefined;
  #isClosed = false;
  /** Without its arguments, which may be secret. */
  readonly #program = process.argv[1] ?? process.execPath;

  constructor(paths: HomePaths) {
    this.#paths = paths;
  }

  /** The connection of all calls, or a new one if that is closed. Launches a daemon only if `launch` is set. */
  async shared(launch: boolean): Promise<Connection> {
    const known = this.#shared;
    if (known && (await isOpen(known))) return known;
    // Another call has opened one meanwhile. It may have failed because it was not allowed to launch a daemon.
    if (this.#shared !== known) return this.shared(launch);
    this.#shared = this.own(launch);
    return this.#shared;
  }

  /** A connection for a single purpose. */
  async own(launch: boolean): Promise<Connection> {
    const connection = await openSession({ launch, paths: this.#paths, loadLauncher: async () => launchDaemon });
    connection.introduce(() => describeCaller(givenEnvironment(), `${this.#program} (by the API)`));
    if (this.#isClosed) connection.close();
    this.#open.add(connection);
    // Never rejects.
    void connection.closed.then(() => this.#open.delete(connection));
    return connection;
  }

  /** After `close`, every error is reported as CLOSED. */
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
