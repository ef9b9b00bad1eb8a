// Whether new settings explain that an app no longer listens on a port. Pure.
import type { AppSpec } from '../../config/app-spec.ts';

type Settings = Pick<AppSpec, 'env' | 'args'>;

/**
 * Whether the old settings name the port of every address in a variable or an argument, and the new settings name none of
 * these ports: `PORT=3001 nsv reload web` has moved the app from 3000. If only the code of the app has changed, nothing tells
 * a version that has moved from one that has lost a socket, or is about to open it.
 */
export function explainsMove(before: Settings, after: Settings, addresses: readonly string[]): boolean {
  return addresses.every((address) => {
    const [port] = /\d+$/.exec(address) ?? [];
    return port !== undefined && names(before, port) && !names(after, port);
  });
}

/** As the whole text or as its end: `3000`, `--port=3000`, `tcp://0.0.0.0:3000`. */
function names({ env, args }: Settings, port: string): boolean {
  const named = new RegExp(`(?:^|[^\\d])${port}/?$`);
  return [...Object.values(env), ...args].some((text) => named.test(text));
}
