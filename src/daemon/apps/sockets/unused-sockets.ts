// Closes the sockets of an app on which nobody will accept any more, so that clients are refused. unused.ts says which. If a
// process listens there later, the socket is bound again.

import { giveupReasonOf, isAtRest } from '../../process/lifecycle/classes.ts';
import type { ManagedProcess } from '../../process/process.ts';
import { saysWhenReady } from '../../process/process-context.ts';
import type { Group } from '../group.ts';
import { unusedFrom } from './unused.ts';

type Owner = Pick<Group, 'all' | 'sockets' | 'settingsOf' | 'host' | 'moves'>;

export class UnusedSockets {
  readonly #group: Owner;
  #cancel = () => {};

  constructor(group: Owner) {
    this.#group = group;
  }

  /** Call it when a process of the app has changed. */
  look(): void {
    this.#cancel();
    this.#cancel = () => {};
    const { all, sockets, host, moves } = this.#group;
    if (!this.#isServed) {
      sockets.close();
      return;
    }
    const now = host.clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const socket of sockets.closable) {
      const from = unusedFrom(socket, all, (process) => this.#factsOf(process), !moves.areUsual);
      if (from <= now) socket.close();
      else next = Math.min(next, from);
    }
    if (next < Number.POSITIVE_INFINITY) this.#cancel = host.clock.after(next - now, () => this.look());
  }

  #factsOf(process: ManagedProcess) {
    const settings = this.#group.settingsOf(process);
    return { ...settings, saysWhenReady: saysWhenReady(settings, process.child) };
  }

  /** Whether any process accepts connections, or will. A process that nsv gave up on only finishes its current work. */
  get #isServed(): boolean {
    return this.#group.all.some((process) => !isAtRest(process) && giveupReasonOf(process.state) === null);
  }
}
