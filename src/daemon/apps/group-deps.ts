// What a group needs of the daemon.
import type { AppSpec } from '../../config/app-spec.ts';
import type { EventBus } from '../events.ts';
import type { Streams } from '../output/streams.ts';
import type { Host } from '../process/host.ts';
import type { Mark } from '../process/mark.ts';
import type { GroupSockets } from '../sockets/group-sockets.ts';

export interface GroupDeps {
  host: Host;
  events: EventBus;
  /** Where the input and output of an instance come from and go to. */
  streams(spec: AppSpec, slot: number): Streams;
  /** The next free `pm_id`. */
  nextId(): number;
  /** Throws UNSUPPORTED when this machine cannot share sockets the way the spec asks. */
  createSockets(spec: AppSpec): GroupSockets;
  /** What a process is to carry in its environment, where there is to be a next daemon that knows it again. */
  mark?(slot: Omit<Mark, 'home' | 'sequence'>): string;
  /** Something has changed that the next daemon is to know. */
  changed?(): void;
  /** Resolves when the next daemon knows it. */
  settled?(): Promise<void>;
}
