// The sockets of `--listen` when a daemon has died. Programs other than Node's have inherited them, and nobody can take a
// descriptor out of a process: they go on with them, and the next daemon has none to give. Whatever of the app ends is started
// again when the last of those that have them has ended too: then they can be bound anew.
import { detailOf, failure } from '../../shared/errors.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';
import type { ManagedProcess } from '../process/process.ts';
import type { Group } from './group.ts';

/** Milliseconds until a restart of an app whose sockets have to be bound first, and between two attempts to bind them. */
const pause = 250;

type Owner = Pick<Group, 'name' | 'spec' | 'all' | 'sockets' | 'queue' | 'host' | 'emit' | 'isRetired'>;

export class LostSockets {
  readonly #group: Owner;
  /** It is time for them to be started, but there are no sockets for them. */
  readonly #due = new Set<ManagedProcess>();

  constructor(group: Owner) {
    this.#group = group;
  }

  /** Milliseconds for which a restart has to wait at least, so that it comes to `prepare`. */
  get delay(): number {
    return this.#areLost ? pause : 0;
  }

  /** Throws SOCKETS_LOST where a new process would get none. */
  reject(): void {
    const { name } = this.#group;
    if (this.#areLost && this.#areInUse) throw failure('SOCKETS_LOST', { name });
  }

  /** For a process whose time to be started again has come. In the queue, so that no command is half-way. */
  prepare(process: ManagedProcess): void {
    if (!this.#areLost) {
      process.resume();
      return;
    }
    const { queue, host } = this.#group;
    const job = queue.run('restart', async (abort) => {
      if (process.state.kind !== 'backoff' || this.#group.isRetired) return;
      if (!this.#areInUse) await this.bind(process);
      if (abort.aborted) return;
      if (!this.#areLost) process.resume();
      else if (this.#areInUse) this.#due.add(process);
      else host.clock.after(pause, () => this.prepare(process));
    });
    job.catch(throwUncaught);
  }

  /** A process of the app may have ended. */
  look(): void {
    if (this.#due.size === 0 || this.#areInUse) return;
    const due = [...this.#due];
    this.#due.clear();
    for (const process of due) this.prepare(process);
  }

  /** Those that are not held yet. For `process`, which is told of when that fails. */
  async bind({ id, slot }: ManagedProcess): Promise<void> {
    const { name, spec, sockets } = this.#group;
    await sockets.open(spec.listen).catch((error) => {
      this.#group.emit({ type: 'unspawnable', detail: detailOf(error), app: name, id, slot });
    });
  }

  get #areLost(): boolean {
    const { spec, sockets } = this.#group;
    return !spec.node && sockets.inherited().length < spec.listen.length;
  }

  get #areInUse(): boolean {
    return this.#group.all.some(({ child }) => child);
  }
}
