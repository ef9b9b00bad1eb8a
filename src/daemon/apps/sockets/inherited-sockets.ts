// The sockets of `--listen` that programs other than Node's inherit. After a daemon and their keeper (sockets/keeper.ts) have died,
// the processes keep using them, but descriptors cannot be taken out of a process: the next daemon has none to give to new
// processes, and cannot bind the addresses before the last process that has them has ended.
import { detailOf, failure } from '../../../shared/errors.ts';
import { throwUncaught } from '../../../shared/throw-uncaught.ts';
import type { SocketsFor } from '../../process/lifecycle/state.ts';
import type { ManagedProcess } from '../../process/process.ts';
import type { GroupContext } from '../group-context.ts';

type Owner = Pick<GroupContext, 'name' | 'spec' | 'all' | 'sockets' | 'queue' | 'emit' | 'isRetired'>;

export class InheritedSockets {
  readonly #group: Owner;

  constructor(group: Owner) {
    this.#group = group;
  }

  get state(): SocketsFor {
    const { spec, sockets, all } = this.#group;
    if (spec.node || sockets.inherited().length >= spec.listen.length) return 'held';
    return all.some(({ child }) => child) ? 'inUse' : 'lost';
  }

  /** Throws SOCKETS_LOST if a new process would get no sockets. */
  async expect(abort: AbortSignal): Promise<void> {
    const { name, sockets } = this.#group;
    await sockets.returned(abort);
    abort.throwIfAborted();
    if (this.state === 'inUse') throw failure('SOCKETS_LOST', { name });
  }

  /** Binds what is not held. Runs in the queue, so that no command is half done. A failure is an event about the process. */
  bindFor({ id, slot }: ManagedProcess, bound: (aborted: boolean) => void): void {
    const { name, spec, sockets, queue } = this.#group;
    const job = queue.run('restart', async (abort) => {
      await sockets.returned(abort);
      if (this.#group.isRetired) return;
      if (!abort.aborted && this.state !== 'inUse') {
        await sockets.open(spec.listen).catch((error) => {
          this.#group.emit({ type: 'spawn-failed', reason: detailOf(error), app: name, id, slot });
        });
      }
      bound(abort.aborted);
    });
    job.catch(throwUncaught);
  }
}
