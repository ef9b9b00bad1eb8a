// What a group has at an address. Pure.
import type { AppSpec } from '../../config/app-spec.ts';
import type { PortUse } from '../../ipc/worker-messages.ts';
import { type Address, overlaps } from '../../os/address.ts';
import type { LaunchPlan } from '../launch/launcher.ts';
import type { GroupSockets } from './group-sockets.ts';

type Shared = Pick<LaunchPlan, 'sockets' | 'heldPorts'>;

interface Entry {
  readonly key: string;
  readonly socket: { readonly address: Address };
}

export function holdingAt(entries: readonly Entry[], address: Address, isServed: (key: string) => boolean): PortUse {
  const there = entries.filter(({ socket }) => overlaps(socket.address, address));
  if (there.length === 0) return 'nobody';
  return there.some(({ key }) => isServed(key)) ? 'served' : 'idle';
}

/** For the plan of a process. One that is alone, and the first, looks for its port as it would without nsv. */
export function sharedBy({ node, instances }: AppSpec, sockets: Pick<GroupSockets, 'ports' | 'inherited'>): Shared {
  if (!node) return { sockets: sockets.inherited() };
  const { ports } = sockets;
  return { sockets: [], ...((instances > 1 || ports.length > 0) && { heldPorts: ports }) };
}

export function listeningPortsOf(entries: readonly Entry[]): number[] {
  const addresses = entries.map(({ socket }) => socket.address);
  return [...new Set(addresses.flatMap((address) => (address.transport === 'tcp' ? address.port : [])))];
}
