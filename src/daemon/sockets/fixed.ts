// The addresses of `--listen`: bound before any process starts, and kept whether or not one uses them.
import { spawn } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { ListenAddress } from '../../config/options/parsers.ts';
import type { BindRequest } from '../../ipc/worker-messages.ts';
import { privilegedPorts } from '../../os/address.ts';
import { BindError } from '../../os/sockets/handle.ts';
import type { Handle } from '../../os/sockets/node-handles.ts';
import { errnoOf } from '../../shared/errno.ts';
import { detailOf, failure } from '../../shared/errors.ts';
import type { SocketOwner } from './owners-paths.ts';
import type { SocketEntry, SocketTable } from './socket-table.ts';

/** Binds the addresses not held yet; `activator` puts them in LISTEN. Throws CANNOT_LISTEN and then binds none. */
export async function openFixed(
  table: SocketTable,
  addresses: ListenAddress[],
  owner: SocketOwner,
  activator?: string,
): Promise<void> {
  const opened: SocketEntry[] = [];
  for (const address of addresses) {
    try {
      const request = await bindRequestOf(address);
      if (table.needsPreparation(request, owner)) await table.prepare(request, owner);
      const entry = table.entryOf(request, owner);
      if (entry.fixed) continue;
      opened.push(entry);
      entry.fixed = true;
      if (activator !== undefined) await activate(entry.socket.handle(), activator);
    } catch (cause) {
      for (const { close } of opened) close();
      const hint = errnoOf(cause) === 'EACCES' && address.port !== undefined ? { hint: privilegedPorts } : {};
      throw failure('CANNOT_LISTEN', { address: textOf(address), detail: detailOf(cause) }, { cause, ...hint });
    }
  }
}

/** The same request as from an app that calls `listen` on the address itself, so that it gets the same socket. */
async function bindRequestOf({ host, port, path }: ListenAddress): Promise<BindRequest> {
  if (path !== undefined) return { kind: 'pipe', path, index: 0 };
  const request: BindRequest = { kind: 'tcp', port: port ?? 0, index: 0 };
  return host === undefined ? request : { ...request, host: (await lookup(host)).address };
}

function textOf({ host, port, path }: ListenAddress): string {
  if (path !== undefined) return path;
  if (host === undefined) return `port ${port}`;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/**
 * Prepares a socket for programs that inherit descriptors: LISTEN state and blocking, as in sd_listen_fds(3). `program`: the
 * bundle of `src/activator`. Throws BindError.
 */
async function activate(handle: Handle, program: string): Promise<void> {
  const child = spawn(process.execPath, [program], {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', handle.fd],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new BindError(-(code ?? constants.errno.EINTR));
  handle.setBlocking?.(true);
}
