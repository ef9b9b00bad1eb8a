// Processes of apps that handle uncaught errors themselves, or unhandled rejections. Most of their handlers send a
// report and exit. What the process accepts until then would be lost, so it leaves the accept queue, and its successor
// starts when it exits. An app whose handler lives on is left alone from then on.
import { type DownMessage, type FailureKind, marker } from '../../ipc/worker-messages.ts';
import type { Child } from '../launch/launcher.ts';
import type { ManagedProcess } from '../process/process.ts';
import type { ProcessFailures } from '../process/process-context.ts';
import type { GroupRecord } from '../process/record.ts';
import type { Group } from './group.ts';

/**
 * Milliseconds after which a process that is still there is taken to live on. It must be well above the patience of
 * usual handlers: 2 s in Sentry's, and 3 s in winston's, which always takes that long if it logs to a console.
 */
export const failurePatience = 4_000;

const kinds: readonly FailureKind[] = ['exception', 'rejection'];
const cause = 'failed';

type Owner = Pick<Group, 'all' | 'sockets' | 'host'>;

export class Failures implements ProcessFailures {
  readonly #group: Owner;
  readonly #changed: () => void;
  /** Kinds after which a process of the app has lived on. */
  readonly #survived: Set<FailureKind>;
  readonly #failing = new WeakSet<Child>();

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

  failed(process: ManagedProcess, kind: FailureKind): void {
    const { child } = process;
    if (!child || this.#survived.has(kind) || this.#failing.has(child)) return;
    this.#failing.add(child);
    const { sockets, host } = this.#group;
    sockets.accepting.leave(child, cause);
    const judge = () => {
      this.#failing.delete(child);
      // It may have been asked to stop.
      if (process.child === child && process.state.kind !== 'stopping') this.#livesOn(child, kind);
    };
    // If this daemon had no time until now, it hears of the exit in the turn of the loop between the two.
    host.clock.after(failurePatience, () => host.clock.after(0, judge));
  }

  #livesOn(survivor: Child, kind: FailureKind): void {
    this.#survived.add(kind);
    this.#changed();
    const message: DownMessage = { cmd: marker, type: 'failures', failures: this.wanted };
    for (const { child } of this.#group.all) if (child?.plan.spec.node) child.send(message);
    this.#group.sockets.accepting.join(survivor, cause);
  }
}
