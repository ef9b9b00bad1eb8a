// Errors that handlers of the app have taken. Its processes report those after which none was seen to live on; what follows is
// decided by the table of processes.
import { type DownMessage, type FailureKind, marker } from '../../ipc/worker-messages.ts';
import type { Child } from '../launch/launcher.ts';
import type { ProcessFailures } from '../process/process-context.ts';
import type { GroupRecord } from '../process/record.ts';
import type { GroupContext } from './group-context.ts';

const kinds: readonly FailureKind[] = ['exception', 'rejection'];
const cause = 'failed';

type Owner = Pick<GroupContext, 'all' | 'sockets'>;

export class Failures implements ProcessFailures {
  readonly #group: Owner;
  readonly #changed: () => void;
  /** Kinds after which a process of the app has lived on. */
  readonly #survived: Set<FailureKind>;

  constructor(group: Owner, changed: () => void, survived: readonly FailureKind[] = []) {
    this.#group = group;
    this.#changed = changed;
    this.#survived = new Set(survived);
  }

  get wanted(): FailureKind[] {
    return kinds.filter((kind) => !this.#survived.has(kind));
  }

  /** For the next daemon. */
  record(): Pick<GroupRecord, 'survived'> {
    return this.#survived.size > 0 ? { survived: [...this.#survived] } : {};
  }

  leaveQueue(child: Child): void {
    this.#group.sockets.accepting.leave(child, cause);
  }

  livesOn(survivor: Child, kind: FailureKind): void {
    this.#survived.add(kind);
    this.#changed();
    const message: DownMessage = { cmd: marker, type: 'failures', failures: this.wanted };
    for (const { child } of this.#group.all) if (child?.plan.spec.node) child.send(message);
    this.#group.sockets.accepting.join(survivor, cause);
  }
}
