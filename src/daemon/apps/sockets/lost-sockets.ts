// Gets back the sockets of `--listen` after a daemon and their keeper (sockets/keeper) have died. Programs other than Node's
// have inherited them and keep using them. Descriptors cannot be taken out of a process, so the next daemon has none to
// give to new processes. A process of the app that ends is therefore not restarted until the last process that has the
// sockets has ended: then nsv binds them anew.
import { detailOf, failure } from '../../../shared/errors.ts';
import { throwUncaught } from '../../../shared/throw-uncaught.ts';
import type { ManagedProcess } from '../../process/process.ts';
import type { Group } from '../group.ts';

/** Milliseconds until the restart of an app whose sockets must be bound first, and between attempts to bind them. */
const pause = 250;

type Owner = Pick<Group, 'name' | 'spec' | 'all' | 'sockets' | 'queue' | 'host' | 'emit' | 'isRetired'>;

export class LostSockets {
  readonly #group: Owner;
  /** Processes whose restart is due but which have no sockets yet. */
  readonly #due = new Set<ManagedProcess>();

  constructor(group: Owner) {
    this.#group = group;
  }

  /** The shortest delay of a restart in milliseconds; with a delay, the restart goes through `prepare`. */
  get delay(): number {
    return this.#areLost ? pause : 0;
  }

  /** Throws SOCKETS_LOST if a new process would get no sockets. */
  reject(): void {
    const { name } = this.#group;
    if (this.#areLost && this.#areInUse) throw failure('SOCKETS_LOST', { name });
  }

  /** For a process whose restart is due. Runs in the queue, so that no command is half done. */
  prepare(process: ManagedProcess): void {
    if (!this.#areLost) {
      process.resume();
      return;
    }
    const { queue, host } = this.#group;
    const job = queue.run('restart', async (abort) => {
      await this.#group.sockets.keeper?.returned(abort);
      if (process.state.kind !== 'backoff' || this.#group.isRetired) return;
      if (!this.#areInUse) await this.bind(process);
      if (abort.aborted) return;
      if (!this.#areLost) process.resume();
      else if (this.#areInUse) this.#due.add(process);
      else host.clock.after(pause, () => this.prepare(process));
    });
    job.catch(throwUncaught);
  }

  /** For a process that nsv gave up on. Runs in the queue as well. The giveup has closed the sockets. */
  retry(process: ManagedProcess): void {
    const job = this.#group.queue.run('retry', async (abort) => {
      if (process.state.kind !== 'errored' || this.#group.isRetired) return;
      // If the sockets cannot be bound, the app starts without them, fails, and the failure counts as usual.
      await this.bind(process);
      if (!abort.aborted) process.retry();
    });
    job.catch(throwUncaught);
  }

  /** Call it when a process of the app may have ended. */
  look(): void {
    if (this.#due.size === 0 || (this.#areLost && this.#areInUse)) return;
    const due = [...this.#due];
    this.#due.clear();
    for (const process of due) this.prepare(process);
  }

  /** Binds the sockets that are not held yet. A failure is an event about `process`. */
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
