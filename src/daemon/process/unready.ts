// Why a running process is to take no work for now, although it runs: its app says so, or a probe does. While there is a reason,
// the process is out of the accept queue of its sockets, unless it is the last that accepts there.
import { type DownMessage, marker } from '../../ipc/worker-messages.ts';
import type { Child } from '../launch/launcher.ts';
import type { GroupSockets } from '../sockets/group-sockets.ts';

/** Who says that a process is not ready. */
export type UnreadyCause = 'app' | 'ready probe';

export class Unready {
  readonly #reasons = new Map<UnreadyCause, string>();
  readonly #child: Child;
  readonly #accepting: GroupSockets['accepting'];
  readonly #changed: (reason: string | null) => void;

  /** `changed` is called when the first reason has come, and when the last one is gone. */
  constructor(child: Child, sockets: Pick<GroupSockets, 'accepting'>, changed: (reason: string | null) => void) {
    this.#child = child;
    this.#accepting = sockets.accepting;
    this.#changed = changed;
  }

  /** The reason that was given first; null if it can take work. */
  get reason(): string | null {
    const [first = null] = this.#reasons.values();
    return first;
  }

  of(cause: UnreadyCause): string | undefined {
    return this.#reasons.get(cause);
  }

  /**
   * A reason of null takes back what the cause said before. Anything else may be said again: after the death of a daemon, or
   * of the channel, the process has come back to the queue by itself.
   */
  set(cause: UnreadyCause, reason: string | null): void {
    const before = this.reason;
    if (reason === null) this.#take(cause);
    else {
      this.#reasons.set(cause, reason);
      this.#send(true);
      this.#accepting.leave(this.#child, cause);
    }
    if ((this.reason === null) !== (before === null)) this.#changed(this.reason);
  }

  #take(cause: UnreadyCause): void {
    if (!this.#reasons.delete(cause)) return;
    this.#accepting.join(this.#child, cause);
    if (this.reason === null) this.#send(false);
  }

  /** Before it leaves the queue, and after it is back. */
  #send(on: boolean): void {
    if (this.#child.plan.spec.node) this.#child.send({ cmd: marker, type: 'unready', on } satisfies DownMessage);
  }
}
