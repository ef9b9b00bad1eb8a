// The connection to the daemon of the home, which may stop, come back, or be replaced.
import { viewQueues } from '../client/queues/queues.ts';
import type { QueueView } from '../ipc/app/views.ts';
import type { Connection } from '../ipc/client.ts';
import type { Client } from '../ipc/protocol.ts';
import type { ProcessView } from '../ipc/views.ts';
import { throwUncaught } from '../shared/throw-uncaught.ts';
import type { Request } from './model.ts';

const requests: Record<Request, (client: Client, targets: string[]) => Promise<unknown>> = {
  restart: (client, targets) => client.restart({ targets }),
  reload: (client, targets) => client.reload({ targets, parallel: 1 }),
  stop: (client, targets) => client.stop({ targets }),
  start: (client, targets) => client.start({ targets, wait: true }),
};

export class ScreenConnection {
  readonly #open: () => Promise<Connection>;
  #connection: Connection | undefined;
  #pid: number | undefined;
  #lost: () => void = () => undefined;
  #replaced: (pid: number) => void = () => undefined;

  constructor(open: () => Promise<Connection>) {
    this.#open = open;
  }

  /** Calls the listener when the daemon has gone. */
  onLost(listener: () => void): void {
    this.#lost = listener;
  }

  /** Calls the listener with the pid of a daemon that has replaced another one. */
  onReplaced(listener: (pid: number) => void): void {
    this.#replaced = listener;
  }

  /** Rejects like `open`, with NO_SUCH_APP, and if the daemon goes away meanwhile. */
  async listExactly(targets: readonly string[]): Promise<ProcessView[]> {
    return (await this.#client()).list({ targets: [...targets] });
  }

  /** Like `listExactly`, but ignores targets that no longer exist. */
  async list(targets: readonly string[]): Promise<ProcessView[]> {
    try {
      return await this.listExactly(targets);
    } catch (error) {
      if (!isAboutTargets(error)) throw error;
    }
    const lists = await Promise.all(targets.map((target) => this.listExactly([target]).catch(noneIfUnknown)));
    return [...new Map(lists.flat().map((process) => [process.id, process])).values()];
  }

  /** The queues of these processes, with their counts. */
  async queuesOf(processes: readonly ProcessView[]): Promise<QueueView[]> {
    const ids = new Set(processes.map(({ id }) => id));
    const all = await viewQueues({ client: await this.#client(), open: this.#open });
    return all.filter((queue) => queue.processes.some(({ id }) => ids.has(id)));
  }

  async ask(request: Request, id: number): Promise<void> {
    await requests[request](await this.#client(), [String(id)]);
  }

  async #client(): Promise<Client> {
    if (this.#connection) return this.#connection.client;
    const connection = await this.#open();
    this.#connection = connection;
    connection.closed.then(() => this.#forget(connection)).catch(throwUncaught);
    const { pid } = connection.hello;
    if (this.#pid !== undefined && this.#pid !== pid) this.#replaced(pid);
    this.#pid = pid;
    return connection.client;
  }

  #forget(connection: Connection): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#lost();
  }
}

/** Checks the code, because the error may be an instance of another bundle's class. */
function isAboutTargets(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'NO_SUCH_APP';
}

function noneIfUnknown(error: unknown): ProcessView[] {
  if (isAboutTargets(error)) return [];
  throw error;
}
