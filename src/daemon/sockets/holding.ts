// What a group has at an address. Pure.
import type { AppSpec } from '../../config/app-spec.ts';
import type { PortUse } from '../../ipc/worker-messages.ts';
import { type Address, addressOf, type BindAddress, overlaps } from '../../os/address.ts';
import type { Child, LaunchPlan } from '../launch/launcher.ts';
import type { GroupSockets } from './group-sockets.ts';
import type { Listening } from './listening.ts';

type Shared = Pick<LaunchPlan, 'sockets' | 'heldPorts'>;

interface Entry {
  readonly key: string;
  readonly socket: { readonly address: Address };
  readonly members: { has(child: Child): boolean };
}

/** What a process finds there. `isOwn`: it has the socket itself, and listens or is about to. */
export function holdingAt(
  entries: readonly Entry[],
  place: BindAddress,
  child: Child,
  listening: Pick<Listening, 'isServed'>,
): { holding: PortUse; isOwn: boolean } {
  const address = addressOf(place);
  const there = entries.filter(({ socket }) => overlaps(socket.address, address));
  const isOwn = there.some(({ members }) => members.has(child));
  if (isOwn || there.some(({ key }) => listening.isServed(key))) return { holding: 'served', isOwn };
  return { holding: there.length > 0 ? 'idle' : 'nobody', isOwn };
}

/**
 * For the plan of a process. One that is alone, and the first, looks for its port as it would without nsv, unless it may have to
 * connect to its own before it accepts anything.
 */
export function sharedBy(
  { node, instances, waitReady, readyProbe }: AppSpec,
  sockets: Pick<GroupSockets, 'ports' | 'inherited'>,
): Shared {
  if (!node) return { sockets: sockets.inherited() };
  const { ports } = sockets;
  const looksForIt = instances > 1 || ports.length > 0 || waitReady || readyProbe !== undefined;
  return { sockets: [], ...(looksForIt && { heldPorts: ports }) };
}

export function listeningPortsOf(entries: readonly Pick<Entry, 'socket'>[]): number[] {
  const addresses = entries.map(({ socket }) => socket.address);
  return [...new Set(addresses.flatMap((address) => (address.transport === 'tcp' ? address.port : [])))];
}
