// Decides how long the sockets of an app are held while no process listens on them.
//
// What a process listens on by the time it is ready, or within --listen-timeout of its start, is what its app serves: many apps open
// a port for metrics first, and their main port once they have reached their database. When such a process ends, its sockets wait for
// its successors, so that clients wait as well. What it opens later is shared like any socket, and is closed with its last process.
//
// If nobody listened on a socket any more, clients would wait for ever, and a load balancer would take the port for one that is
// served. So it waits only while a process is starting, or is so young that it may still listen. A process that listens in as many
// places as its app had is not expected in others: it has moved.
import type { AppSpec } from '../../../config/app-spec.ts';
import type { Child } from '../../launch/launcher.ts';
import { giveupReasonOf, isAtRest, isOnline, isStarting, isToBecomeReady } from '../../process/lifecycle/classes.ts';
import type { State } from '../../process/lifecycle/state.ts';
import type { HeldAddress, SocketsApp } from '../../sockets/group-sockets.ts';
import type { Stage } from '../../sockets/listening.ts';
import type { GroupContext } from '../group-context.ts';

type Owner = Pick<GroupContext, 'spec' | 'all' | 'sockets' | 'settingsOf' | 'host'>;

export class HeldSockets implements SocketsApp {
  readonly #group: Owner;
  #cancel = () => {};

  constructor(group: Owner) {
    this.#group = group;
  }

  get spec(): AppSpec {
    return this.#group.spec;
  }

  stageOf(child: Child): Stage {
    const process = this.#group.all.find((candidate) => candidate.child === child);
    if (process && isStarting(process)) return 'starting';
    if (!process || !isOnline(process)) return 'grown';
    const { listenTimeout } = this.#group.settingsOf(process);
    return this.#group.host.clock.now() < process.state.since + listenTimeout ? 'young' : 'grown';
  }

  /** Call it when a process of the app has changed, or has closed a socket. */
  look(): void {
    this.#cancel();
    this.#cancel = () => {};
    const { all, sockets, host } = this.#group;
    if (!this.#isServed) sockets.close();
    const processes = all.map((process) => ({
      state: process.state,
      child: process.child,
      listenTimeout: this.#group.settingsOf(process).listenTimeout,
      hasAll: process.child !== undefined && sockets.served.hasAll(process.child),
    }));
    const now = host.clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const socket of sockets.closable) {
      const from = unusedFrom(socket, processes);
      if (from <= now) socket.close();
      else next = Math.min(next, from);
    }
    if (next < Number.POSITIVE_INFINITY) this.#cancel = host.clock.after(next - now, () => this.look());
  }

  /** Whether any process accepts connections, or will. A process that nsv gave up on only finishes its current work. */
  get #isServed(): boolean {
    return this.#group.all.some((process) => !isAtRest(process) && giveupReasonOf(process.state) === null);
  }
}

export interface PossibleListener {
  readonly child: Child | undefined;
  readonly state: State;
  /** Milliseconds. */
  listenTimeout: number;
  /** Whether it listens in as many places as the processes before it. */
  hasAll: boolean;
}

/**
 * From when on nobody will accept on a socket, as of the clock whose times are in the states: milliseconds, Infinity while it cannot be
 * known, -Infinity if that is so already.
 */
export function unusedFrom(
  { isOf, isKept }: Omit<HeldAddress, 'close'>,
  processes: readonly PossibleListener[],
): number {
  if (processes.some(({ child }) => child && isOf(child))) return Number.POSITIVE_INFINITY;
  return isKept ? Math.max(...processes.map(mayListenUntil)) : Number.NEGATIVE_INFINITY;
}

function mayListenUntil(process: PossibleListener): number {
  if (isToBecomeReady(process)) return Number.POSITIVE_INFINITY;
  return isOnline(process) && !process.hasAll ? process.state.since + process.listenTimeout : Number.NEGATIVE_INFINITY;
}
