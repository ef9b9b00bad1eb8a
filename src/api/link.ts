// The connections of a program to the daemon, which is replaced by a new one after a crash or an update, and the calls over them.
import { describeCaller } from '../client/caller.ts';
import { launchDaemon } from '../client/daemon-launch.ts';
import { openSession } from '../client/session.ts';
import { type Connection, canAskAgain } from '../ipc/client.ts';
import { defaultLimits } from '../ipc/limits.ts';
import { type Client, type MethodName, methods, type Report } from '../ipc/protocol.ts';
import { givenEnvironment } from '../os/process-1.ts';
import { failure } from '../shared/errors.ts';
import type { HomePaths } from '../shared/paths.ts';
import { bounded } from '../shared/promises.ts';
import type { CallOptions, Nsv } from './nsv.ts';

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

  /** Throws CLOSED after `close`. */
  expectOpen(method: string): void {
    if (this.#isClosed) throw failure('CLOSED', { method });
  }

  /** After `close`, every error is reported as CLOSED. */
  async run<T>(method: string, job: () => Promise<T>): Promise<T> {
    this.expectOpen(method);
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

/** `name` is the method that the program called; `mayLaunch` says whether it may launch the daemon. */
export type Run = <R>(
  name: keyof Nsv & string,
  job: (client: Client) => Promise<R>,
  options?: CallOptions,
  mayLaunch?: boolean,
) => Promise<R>;

/** Sends the requests of a call over the shared connection, as many at a time as the daemon accepts. */
export function createRun(link: DaemonConnections): Run {
  // The daemon accepts no more than this on one connection.
  const call = bounded(defaultLimits.calls, ask);

  async function ask(
    method: MethodName,
    params: object,
    report: Report,
    launch: boolean,
    isFirst = true,
  ): Promise<unknown> {
    try {
      const { client } = await link.shared(launch);
      return await (client[method] as (params: object, report: Report) => Promise<unknown>)(params, report);
    } catch (error) {
      if (!canAskAgain(method, error, isFirst)) throw error;
      return ask(method, params, report, launch, false);
    }
  }

  function clientFor({ onProgress }: CallOptions, mayLaunch: boolean): Client {
    const report = changesOf(onProgress ?? (() => undefined));
    const names = Object.keys(methods) as MethodName[];
    return Object.fromEntries(
      names.map((name) => [name, (params: object) => call(name, params, report, mayLaunch)]),
    ) as Client;
  }

  return (name, job, options = {}, mayLaunch = false) => link.run(name, () => job(clientFor(options, mayLaunch)));
}

/** Passes only changes on: the daemon repeats its report while nothing changes. */
function changesOf(report: Report): Report {
  let last: string | undefined;
  return (text, isLasting = false) => {
    if (isLasting || text !== last) report(text, isLasting);
    if (!isLasting) last = text;
  };
}
