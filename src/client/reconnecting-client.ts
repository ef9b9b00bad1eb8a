// A client that goes on with the next daemon when the one that it has reached hands over to another, or has died.

import type { Client, MethodName } from '../ipc/protocol.ts';
import { canAskAgain } from '../ipc/retryable-methods.ts';

/** `next` reaches the daemon that is there now. */
export function reconnectingClient(first: Client, next: () => Promise<Client>): Client {
  let current = Promise.resolve(first);

  async function call(name: MethodName, params: never, isFirst: boolean): Promise<unknown> {
    const asked = current;
    try {
      return await (await asked)[name](params);
    } catch (error) {
      if (!canAskAgain(name, error, isFirst)) throw error;
      if (current === asked) current = next();
      return call(name, params, false);
    }
  }

  const names = Object.keys(first) as MethodName[];
  return Object.fromEntries(names.map((name) => [name, (params: never) => call(name, params, true)])) as Client;
}
