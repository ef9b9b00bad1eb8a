// Bind requests of processes. They are parsed, because processes run user code and must not crash the daemon.
import { isIP } from 'node:net';
import { constants } from 'node:os';
import type { BindRequest } from '../../ipc/worker-messages.ts';
import { BindError } from '../../os/sockets/handle.ts';

const kinds: readonly unknown[] = ['tcp', 'pipe', 'udp4', 'udp6'] satisfies BindRequest['kind'][];

/** Throws BindError with EINVAL. */
export function parseBindRequest(input: unknown): BindRequest {
  const { kind, host, port, path, index } = (input ?? {}) as Record<string, unknown>;
  const isPlace = kind === 'pipe' ? isPath(path) : isHost(host) && isWithin(port, 65_535);
  if (kinds.includes(kind) && isPlace && isWithin(index, Number.MAX_SAFE_INTEGER)) return input as BindRequest;
  throw new BindError(-constants.errno.EINVAL);
}

/** Processes of the group that ask for the same key get the same socket. */
export function bindKeyOf({ kind, host, port, path, ipv6Only, index, direct }: BindRequest): string {
  return [kind, host ?? '*', path ?? port, ipv6Only ? 'v6' : '', index, ...(direct ? ['direct'] : [])].join('|');
}

/** The request that a key was made from, not yet validated; undefined if the key is malformed. */
export function requestOfKey(key: string): unknown {
  const match = /^(\w+)\|([^|]*)\|(.*)\|(v6)?\|(\d+)(\|direct)?$/s.exec(key);
  if (!match) return undefined;
  const [, kind, host, place = '', v6, index, direct] = match;
  const where = kind === 'pipe' ? { path: place } : { port: Number(place), ...(host !== '*' && { host }) };
  return { kind, ...where, ...(v6 && { ipv6Only: true }), index: Number(index), ...(direct && { direct: true }) };
}

/** Whether the system chose the port, so that no one can expect the same one next time. */
export function isPortChosen(key: string): boolean {
  return (requestOfKey(key) as { port?: number } | undefined)?.port === 0;
}

function isPath(value: unknown): boolean {
  return typeof value === 'string' && /^[/\0]./s.test(value);
}

function isHost(value: unknown): boolean {
  return value === undefined || (typeof value === 'string' && isIP(value) !== 0);
}

function isWithin(value: unknown, most: number): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most;
}
