// From the inside to what is shown: the only place that shapes the wire.
import type { AppView, ProcessView, Status } from '../ipc/views.ts';
import type { Group } from './group.ts';
import { giveupReasonOf, type Kind } from './lifecycle.ts';
import { fileOf } from './output/streams.ts';
import type { ManagedProcess } from './process.ts';

/** CPU in percent of a core, memory in bytes. */
export interface Usage {
  cpu: number;
  memory: number;
}

const statuses: Record<Kind, Status> = {
  stopped: 'stopped',
  spawning: 'starting',
  starting: 'starting',
  online: 'online',
  stopping: 'stopping',
  backoff: 'waiting restart',
  errored: 'errored',
};

export function viewProcess(group: Group, process: ManagedProcess, usage: Usage | undefined, now: number): ProcessView {
  const { spec } = group;
  const { state, child } = process;
  const { outFile, errorFile } = group.plan(process);
  return {
    id: process.id,
    name: spec.name,
    namespace: spec.namespace,
    slot: process.slot,
    instances: spec.instances,
    mode: spec.node ? spec.schedule : 'fork',
    pid: child?.pid ?? null,
    status: statuses[state.kind],
    since: child ? process.spawnedAt : null,
    uptime: 'since' in state ? Math.round(now - state.since) : null,
    restarts: process.restarts,
    cpu: usage?.cpu ?? null,
    memory: usage?.memory ?? null,
    ports: child ? group.sockets.addressesOf(child) : [],
    cutShort: process.cutShort,
    lastExit: process.lastExit,
    reason: giveupReasonOf(state),
    outFile: fileOf(outFile),
    errorFile: fileOf(errorFile),
  };
}

export function viewApp(group: Group, processes: ProcessView[]): AppView {
  return { spec: group.spec, createdAt: group.createdAt, sockets: group.sockets.addresses(), processes };
}
