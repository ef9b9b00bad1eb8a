// Whether a process has ended because it could not listen, and on what. Pure.
import { isIP } from 'node:net';
import { type Address, privilegedPorts, renderAddress } from '../../../os/address.ts';
import type { Refusal } from '../../sockets/group-sockets.ts';
import type { PrintedError } from './printed-error.ts';

export type ListenFailure = Omit<Refusal, 'at'>;

/** Milliseconds. Of an app that swallows the error, nothing is left to do, and it ends at once. */
const soon = 10_000;

/** As Node says it: `listen EADDRINUSE: address already in use 127.0.0.1:80`. */
const printed = /\b(?:listen|bind) (E[A-Z]+): .*?(\S+)$/;

/** `error` is what the process has printed, and `refusal` what the daemon could not bind for it. */
export function listenFailureOf(
  error: Pick<PrintedError, 'headline'> | undefined,
  refusal: Refusal | undefined,
  now: number,
): ListenFailure | undefined {
  if (!error) return refusal && now - refusal.at < soon ? refusal : undefined;
  const [, code = '', place = ''] = printed.exec(withPlace(error.headline)) ?? [];
  if (code === '') return undefined;
  if (refusal?.code === code) return refusal;
  const address = addressIn(place);
  return address && { address, code, holder: undefined };
}

/** Bun names only the port. */
function withPlace(headline: string): string {
  return headline.replace(/^Failed to start server\. Is port (\d+) in use\?$/, 'listen EADDRINUSE: $& :::$1');
}

/** Node prints `:::80`, `127.0.0.1:80`, or a path. */
function addressIn(place: string): Address | undefined {
  if (place.startsWith('/')) return { transport: 'unix', path: place };
  const [, ip = '', port] = /^(.*):(\d+)$/.exec(place) ?? [];
  return isIP(ip) ? { transport: 'tcp', ip, port: Number(port), ipv6Only: false } : undefined;
}

const reasons: Record<string, string> = {
  EACCES: 'permission denied',
  EADDRNOTAVAIL: 'this machine does not have the address',
  ENOENT: 'no such directory',
};

/** `by`: who has the address, in words. */
export function describeListenFailure({ address, code }: ListenFailure, by: string | undefined): string {
  const place = placeOf(address);
  if (code === 'EADDRINUSE') return `${place} is in use${by === undefined ? ' by another program' : ` by ${by}`}`;
  const reason = Object.hasOwn(reasons, code) ? `${reasons[code]} (${code})` : code;
  return `cannot listen on ${place}: ${reason}${isPrivileged(address, code) ? `; ${privilegedPorts}` : ''}`;
}

function isPrivileged(address: Address, code: string): boolean {
  return code === 'EACCES' && address.transport !== 'unix' && address.port < 1024;
}

function placeOf(address: Address): string {
  const text = renderAddress(address);
  if (address.transport === 'unix') return `socket ${text}`;
  return /^\d+$/.test(text) ? `port ${text}` : `address ${text}`;
}
