// Sockets of a cluster whose workers accept by themselves (`cluster.SCHED_NONE`). Its primary binds without a server, and
// in one step, so the socket has to be there before. A worker asks for it before it asks Node's cluster.
import type { BindAddress } from '../../ipc/worker-messages.ts';
import { isConnected } from '../channel.ts';
import { interceptCreate } from '../node-processes.ts';
import { type NodeServerHandle, onClose } from '../node-sockets.ts';
import { reportListening } from '../servers/servers.ts';
import { type BindAnswer, request } from '../sockets/grants.ts';
import { HandedOver } from '../sockets/handed-over.ts';
import { handleKeyOf } from '../sockets/handles.ts';
import { bindAddressOf } from '../sockets/listen.ts';

interface Prepared {
  /** A handle or an error number; undefined before the answer and after Node has taken it. */
  result: NodeServerHandle | number | undefined;
  /** Undefined after the answer. */
  waiting: (() => void)[] | undefined;
}

const prepared = new Map<string, Prepared>();
let isIntercepted = false;

/** Calls `ready` when Node may bind the address. */
export function prepare(place: BindAddress, ready: () => void): void {
  if (!isIntercepted) interceptCreate((...args) => take(bindAddressOf(args)));
  isIntercepted = true;
  const key = JSON.stringify(place);
  const known = prepared.get(key);
  if (!isConnected() || (known && !known.waiting)) ready();
  else if (known) known.waiting?.push(ready);
  else ask(key, place, ready);
}

function ask(key: string, place: BindAddress, ready: () => void): void {
  const waiting = [ready];
  const entry: Prepared = { result: undefined, waiting };
  prepared.set(key, entry);
  request<NodeServerHandle>({ ...place, direct: true }, (answer) => {
    entry.waiting = undefined;
    entry.result = resultOf(answer);
    if (typeof entry.result === 'object') onClose(entry.result, () => prepared.delete(key));
    else if (entry.result === undefined) prepared.delete(key);
    for (const each of waiting) each();
  });
}

function resultOf(answer: BindAnswer<NodeServerHandle>): NodeServerHandle | number | undefined {
  if (answer.type !== 'granted') return answer.type === 'refused' ? answer.errno : undefined;
  if (!(answer.handle instanceof HandedOver)) return answer.handle;
  answer.handle.close();
  return undefined;
}

/** Undefined if Node has to bind by itself. */
function take(place: BindAddress | undefined): NodeServerHandle | number | undefined {
  const key = JSON.stringify(place);
  const entry = prepared.get(key);
  const result = entry?.result;
  if (!entry || result === undefined) return undefined;
  entry.result = undefined;
  if (typeof result === 'number') prepared.delete(key);
  else reportListening(result, handleKeyOf(result) ?? '', place?.path ?? `${place?.host ?? '::'}:${place?.port}`);
  return result;
}
