// Answers the requests of processes to bind an address: at once, or after the user of the app has bound it.
import { type BindRequest, type DownMessage, marker, type UpMessage } from '../../ipc/worker-messages.ts';
import { BindError } from '../../os/sockets/handle.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';
import type { Child } from '../launch/launcher.ts';
import { parseBindRequest } from './bind-request.ts';
import type { Grant } from './held-socket.ts';
import type { Stage } from './listening.ts';
import type { SocketEntry, SocketTable } from './socket-table.ts';

export type BindMessage = Extract<UpMessage, { type: 'bind' }>;

export interface BindAnswersOptions {
  table: SocketTable;
  /** Whether the process has ended. */
  isGone(child: Child): boolean;
  stageOf(child: Child): Stage;
  /** A socket was bound for a process that has ended meanwhile. */
  prepared(): void;
  give(entry: SocketEntry, child: Child, grant: Grant): void;
  /** Told before the process is. */
  refused(child: Child, request: BindRequest, error: BindError): void;
}

export class BindAnswers {
  readonly #options: BindAnswersOptions;
  /** The processes of requests that are not answered yet. */
  readonly #asking: Child[] = [];

  constructor(options: BindAnswersOptions) {
    this.#options = options;
  }

  /** Number of requests that are not answered yet. */
  get pending(): number {
    return this.#asking.length;
  }

  /** Whether the process has such a request. */
  isAwaitedBy(child: Child): boolean {
    return this.#asking.includes(child);
  }

  answer(child: Child, { seq, address, mayBeTest = false }: BindMessage): void {
    const request = this.#orRefuse(child, seq, undefined, () => parseBindRequest(address));
    if (!request) return;
    const { table, stageOf } = this.#options;
    this.#orRefuse(child, seq, request, () => {
      // No other process can know the number, and what is sent there is meant for this one.
      if (request.port === 0 && stageOf(child) !== 'starting')
        child.send({ cmd: marker, type: 'unshared', seq } satisfies DownMessage);
      else if (mayBeTest && table.isInOwnWay(request, child))
        child.send({ cmd: marker, type: 'in-own-way', seq } satisfies DownMessage);
      else if (table.needsPreparation(request, child.plan.spec))
        this.#answerLater(child, seq, request).catch(throwUncaught);
      else this.#grant(child, seq, request);
    });
  }

  async #answerLater(child: Child, seq: number, request: BindRequest): Promise<void> {
    const { table, isGone, prepared } = this.#options;
    this.#asking.push(child);
    const failed = await table.prepare(request, child.plan.spec).catch((error: unknown) => error);
    this.#asking.splice(this.#asking.indexOf(child), 1);
    // The process may have ended meanwhile, and its app may be stopped.
    if (isGone(child)) return prepared();
    this.#orRefuse(child, seq, request, () => {
      if (failed !== undefined) throw failed;
      this.#grant(child, seq, request);
    });
  }

  #grant(child: Child, seq: number, request: BindRequest): void {
    const { table, give } = this.#options;
    const entry = table.entryOf(request, child.plan.spec);
    give(entry, child, { cmd: marker, type: 'granted', seq, key: entry.key, mode: entry.socket.way });
  }

  /** `request`: undefined if it is being parsed. */
  #orRefuse<T>(child: Child, seq: number, request: BindRequest | undefined, attempt: () => T): T | undefined {
    try {
      return attempt();
    } catch (error) {
      if (!(error instanceof BindError)) throw error;
      const { errno, code } = error;
      if (request) this.#options.refused(child, request, error);
      child.send({ cmd: marker, type: 'refused', seq, errno, code } satisfies DownMessage);
      return undefined;
    }
  }
}
