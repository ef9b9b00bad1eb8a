// What a process asks for: parsed, because the process runs the user's code and the daemon must outlive that.

import { isIP } from 'node:net';
import { constants } from 'node:os';
import type { BindRequest } from '../../ipc/worker-messages.ts';
import { BindError } from '../../os/handle.ts';

const kinds: readonly unknown[] = ['tcp', 'pipe', 'udp4', 'udp6'] satisfies BindRequest['kind'][];

/** Throws BindError with EINVAL. */
export function parseBindRequest(input: unknown): BindRequest {
  const { kind, host, port, path, index } = (input ?? {}) as Record<string, unknown>;
  const isPlace = kind === 'pipe' ? isPath(path) : isHost(host) && isWithin(port, 65_535);
  if (kinds.includes(kind) && isPlace && isWithin(index, Number.MAX_SAFE_INTEGER)) return input as BindRequest;
  throw new BindError(-constants.errno.EINVAL);
}

/** Every process of the group that asks for the same gets the same. */
export function bindKeyOf({ kind, host, port, path, ipv6Only, index }: BindRequest): string {
  return [kind, host ?? '*', path ?? port, ipv6Only ? 'v6' : '', index].join('|');
}

/** What a key was made of, unchecked; undefined for what is none. */
export function requestOfKey(key: string): unknown {
  const match = /^(\w+)\|([^|]*)\|(.*)\|(v6)?\|(\d+)$/s.exec(key);
  if (!match) return undefined;
  const [, kind, host, place = '', v6, index] = match;
  const where = kind === 'pipe' ? { path: place } : { port: Number(place), ...(host !== '*' && { host }) };
  return { kind, ...where, ...(v6 && { ipv6Only: true }), index: Number(index) };
}

/** By the system, so that nobody expects it to be the same next time. */
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
