// Whether new settings explain that an app no longer listens on a port. Pure.
import type { AppSpec } from '../../config/app-spec.ts';

export type PortSettings = Pick<AppSpec, 'env' | 'args'> & Partial<Pick<AppSpec, 'listenEach'>>;

/**
 * Whether `listenEach` has changed, or the old settings name the port of every address in a variable or an argument, and the new settings
 * name none of these ports: `PORT=3001 nsv reload web` has moved the app from 3000. The same goes for paths of Unix sockets. If only the
 * code of the app has changed, nothing tells a version that has moved from one that has lost a socket, or is about to open it.
 */
export function explainsMove(before: PortSettings, after: PortSettings, addresses: readonly string[]): boolean {
  if (before.listenEach !== after.listenEach) return true;
  return addresses.every((address) => {
    const isNamed = address.startsWith('/') ? endsWith(address) : namesPort(address);
    return texts(before).some(isNamed) && !texts(after).some(isNamed);
  });
}

function texts({ env, args }: PortSettings): string[] {
  return [...Object.values(env), ...args];
}

/** As the whole text or as its end: `/run/web.sock`, `--listen=/run/web.sock`. */
function endsWith(path: string): (text: string) => boolean {
  return (text) => text.endsWith(path);
}

/** As the whole text or as its end: `3000`, `--port=3000`, `tcp://0.0.0.0:3000`. */
function namesPort(address: string): (text: string) => boolean {
  const [port] = /\d+$/.exec(address) ?? [];
  const named = new RegExp(`(?:^|[^\\d])${port}/?$`);
  return (text) => port !== undefined && named.test(text);
}
