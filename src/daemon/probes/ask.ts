// Asks one process once, in the way of its probe.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Probe, type ProbePlace, probePlaceOf, probeTarget } from '../../config/options/probe.ts';
import type { ServerSpeech } from '../../ipc/worker-messages.ts';
import type { TreeControl } from '../../os/process-tree.ts';
import { runProbe } from '../launch/exec-probe.ts';
import type { Child } from '../launch/launcher.ts';
import type { GroupSockets } from '../sockets/group-sockets.ts';
import { type ProbedServer, type Taken, unlessAborted } from '../sockets/probe-lines.ts';
import { askHttp } from './http.ts';
import type { ProbeAnswer } from './standing.ts';

export interface ProbeRequest {
  probing: GroupSockets['probing'];
  control: TreeControl;
  /** Whether a process that another daemon has started may still be about to connect to this one. */
  mayBeAway(): boolean;
}

/** Undefined if the process cannot be asked just now. Rejects with what was wrong, and after `abort`. */
export async function askProbe(
  probe: Probe,
  child: Child,
  asking: ProbeRequest,
  abort: AbortSignal,
): Promise<ProbeAnswer | undefined> {
  const place = probePlaceOf(probe);
  if (!place) {
    const problem = await runProbe(probe.exec ?? '', child, asking.control, abort);
    return problem === undefined ? { ok: true } : { ok: false, why: problem };
  }
  const line = child.plan.spec.node ? await lineTo(child, place, asking, abort) : await dialled(place, abort);
  if (!line) return undefined;
  // Withdrawn while the connection was being made: an end that has been told is not told again.
  if (abort.aborted) line.socket.destroy();
  abort.throwIfAborted();
  if (place.scheme === 'tcp') return knock(line, abort);
  return askHttp(line.socket, place, line.speaks, abort).catch((error) => unlessLost(error, line.taken, abort));
}

interface Line {
  socket: Socket;
  speaks: ServerSpeech;
  taken: Promise<Taken>;
}

/**
 * A connection to this very process. If its server is in a thread, or in a worker of the app's own cluster that accepts by
 * itself, it is one to the address, which another process may take.
 */
async function lineTo(
  child: Child,
  place: ProbePlace,
  { probing, mayBeAway }: ProbeRequest,
  abort: AbortSignal,
): Promise<Line | undefined> {
  const servers = serversOf(child, place, probing);
  // One that was blocked when its daemon died cannot connect to the next.
  if (!servers && child.isAway && !mayBeAway()) throw new Error('it has not connected to the new daemon');
  if (!servers) return undefined;
  const [server] = servers;
  if (!server) throw new Error(`it does not listen${place.port === undefined ? '' : ` on port ${place.port}`}`);
  const { key, speaks } = server;
  const line = speaks && (await probing.connect(child, key, abort));
  return line && speaks ? { ...line, speaks } : dialled(place, abort);
}

/** With `--listen-each` the probe of all processes names one port: where the code wants to listen, or the first one. */
function serversOf(child: Child, place: ProbePlace, probing: ProbeRequest['probing']): ProbedServer[] | undefined {
  const { slot, spec } = child.plan;
  const servers = probing.serversOf(child, place);
  if (spec.listenEach === undefined || servers?.length !== 0) return servers;
  return probing.serversOf(child, { ...place, port: spec.listenEach + slot });
}

async function dialled({ host = '127.0.0.1', port, socket: path }: ProbePlace, abort: AbortSignal): Promise<Line> {
  if (path === undefined && port === undefined) throw new Error('its probe names no port');
  const socket = connect(path === undefined ? { host, port: port! } : { path });
  await once(socket, 'connect', { signal: abort }).catch((error) => {
    socket.destroy();
    throw error;
  });
  return { socket, speaks: 'any', taken: Promise.resolve(true) };
}

/** Whether somebody is there. */
async function knock({ socket, taken }: Line, abort: AbortSignal): Promise<ProbeAnswer | undefined> {
  socket.on('error', () => {});
  try {
    const isTaken = await unlessAborted(taken, abort);
    if (isTaken === undefined) return undefined;
    return isTaken ? { ok: true } : { ok: false, why: 'it has closed its server' };
  } finally {
    socket.destroy();
  }
}

/** With the broker of a process goes what was on its way to the process, which does not have to answer for that. */
async function unlessLost(error: unknown, taken: Promise<Taken>, abort: AbortSignal): Promise<undefined> {
  abort.throwIfAborted();
  if ((await unlessAborted(taken, abort)) !== undefined) throw error;
}

/** What the probe has to say, for people. */
export function evidence(probe: Probe, why: string, times: number): string {
  return `${probeTarget(probe)}: ${why}${times > 1 ? `, ${times} times in a row` : ''}`;
}
