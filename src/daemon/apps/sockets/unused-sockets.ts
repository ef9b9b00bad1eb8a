// Closes the sockets of an app on which nobody will accept any more, so that clients are refused. If a process listens there later,
// the socket is bound again.
//
// The daemon holds a socket so that clients wait while the app is being restarted. If no process listens on it any more, they
// would wait for ever, and a load balancer would take the port for one that is served.
//
// What has ended or replaced the processes makes no difference, so nothing here knows of commands. A process that crashes and
// reads another port from a file has moved as well as one that was restarted with another variable, and a port on which only one
// instance has listened is abandoned when that instance is scaled away.
import type { Child } from '../../launch/launcher.ts';
import { giveupReasonOf, isAtRest, isOnline, isToBecomeReady } from '../../process/lifecycle/classes.ts';
import type { State } from '../../process/lifecycle/state.ts';
import type { ManagedProcess } from '../../process/process.ts';
import { saysWhenReady } from '../../process/process-context.ts';
import { explainsMove, type PortSettings } from '../../slot/moved-port.ts';
import type { HeldAddress } from '../../sockets/group-sockets.ts';
import type { GroupContext } from '../group-context.ts';
import type { Moves } from './moves.ts';

type Owner = Pick<GroupContext, 'all' | 'sockets' | 'settingsOf' | 'host'> & { readonly moves: Moves };

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

interface Facts extends PortSettings {
  listenTimeout: number;
  /** The app says by itself when it is ready, or a probe does. */
  saysWhenReady: boolean;
}

interface Process {
  readonly child?: Child | undefined;
  readonly state: State;
}

/**
 * From when on nobody will accept on a socket, as of the clock whose times are in the states: milliseconds, Infinity while it cannot be
 * known, -Infinity if that is so already. `isHeld`: whether a socket waits for a process that may come.
 */
export function unusedFrom<P extends Process>(
  socket: HeldAddress,
  processes: readonly P[],
  factsOf: (process: P) => Facts,
  isHeld = true,
): number {
  if (processes.some(({ child }) => child && socket.isOf(child))) return Number.POSITIVE_INFINITY;
  if (!isHeld) return Number.NEGATIVE_INFINITY;
  return Math.max(...processes.map((process) => mayListenUntil(process, socket, () => factsOf(process))));
}

/**
 * How long a process that has not asked for the socket may still do so. Many apps open a port for metrics first, or fork the workers of
 * a cluster, and are ready long before they listen on their main port. So it has as much time as the new process of a reload.
 */
function mayListenUntil(process: Process, { address, askedWith }: HeldAddress, factsOf: () => Facts): number {
  if (isToBecomeReady(process)) return Number.POSITIVE_INFINITY;
  if (!isOnline(process)) return Number.NEGATIVE_INFINITY;
  const facts = factsOf();
  const hasMoved = askedWith && explainsMove(askedWith, facts, [address]);
  return hasMoved || facts.saysWhenReady ? Number.NEGATIVE_INFINITY : process.state.since + facts.listenTimeout;
}
