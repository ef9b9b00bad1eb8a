// What a group needs from the daemon.
import type { AppSpec } from '../../config/app-spec.ts';
import type { EndReason } from '../../ipc/records/deaths.ts';
import type { EventBus } from '../events.ts';
import type { Queues } from '../in-app/queues.ts';
import type { Streams } from '../output/streams.ts';
import type { Host } from '../process/host.ts';
import type { Mark } from '../process/mark.ts';
import type { ManagedProcess } from '../process/process.ts';
import type { ProcessContext } from '../process/process-context.ts';
import type { GroupSockets, SocketsApp } from '../sockets/group-sockets.ts';
import type { Dependencies } from './depends-on/hold.ts';
import type { GroupContext } from './group-context.ts';

export interface GroupDeps {
  host: Host;
  events: EventBus;
  /** Where an instance's input comes from and its output goes to. */
  streams(spec: AppSpec, slot: number): Streams;
  /** The next free `pm_id`. */
  nextId(): number;
  createSockets(spec: AppSpec, app: SocketsApp): GroupSockets;
  /** A mark for a process that is started at once: the next daemon finds it by that. Omitted if apps end with the daemon. */
  mark?(process: Pick<Mark, 'id' | 'slot' | 'restarts' | 'isTrial'>, spec: AppSpec): string;
  /** Asks processes how they are, if their settings say so. */
  probes?: ProcessContext['probes'];
  /** Which processes of all apps have opened which queues. */
  queues?: Queues;
  /** Omitted if the app depends on no other one. */
  dependencies?: Dependencies;
  /** Replaces a process of the app that exceeds a limit, when its turn comes. */
  replace(group: GroupContext, process: ManagedProcess, reason: EndReason): Promise<void>;
  /** Called when the app has a new name. `before`: the one that it had. */
  renamed?(group: GroupContext, before: string): void;
  /** Called after each change of the app that the next daemon must know about. */
  changed?(group: GroupContext): void;
  /** Resolves when the next daemon would know of all changes so far. A power cut may lose them, which no process outlives. */
  kept?(): Promise<void>;
}
