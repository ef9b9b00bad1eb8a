// Errors that handlers of the app have taken. Its processes report those after which none was seen to live on; what follows is
// decided by the table of processes.
import { type DownMessage, type HandledErrorKind, marker } from '../../ipc/worker-messages.ts';
import type { Child } from '../launch/launcher.ts';
import type { ProcessFailures } from '../process/process-context.ts';
import type { GroupRecord } from '../process/record.ts';
import type { GroupContext } from './group-context.ts';

const kinds: readonly HandledErrorKind[] = ['exception', 'rejection'];
const cause = 'failed';

type Owner = Pick<GroupContext, 'all' | 'sockets'>;

export class Failures implements ProcessFailures {
  readonly #group: Owner;
  readonly #changed: () => void;
  /** Kinds after which a process of the app has lived on. */
  readonly #survived: Set<HandledErrorKind>;

  constructor(group: Owner, changed: () => void, survived: readonly HandledErrorKind[] = []) {
    this.#group = group;
    this.#changed = changed;
    this.#survived = new Set(survived);
  }

  get wanted(): HandledErrorKind[] {
    return kinds.filter((kind) => !this.#survived.has(kind));
  }

  /** For the next daemon. */
  record(): Pick<GroupRecord, 'survived'> {
    return this.#survived.size > 0 ? { survived: [...this.#survived] } : {};
  }

  leaveQueue(child: Child): void {
    this.#group.sockets.accepting.leave(child, cause);
  }

  livesOn(survivor: Child, kind: HandledErrorKind): void {
    this.#survived.add(kind);
    this.#changed();
    const message: DownMessage = { cmd: marker, type: 'wanted-errors', wantedErrors: this.wanted };
    for (const { child } of this.#group.all) if (child?.plan.spec.node) child.send(message);
    this.#group.sockets.accepting.join(survivor, cause);
  }
}
