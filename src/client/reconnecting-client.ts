// A client that switches to the next daemon if its daemon hands over or dies.
import { canAskAgain } from '../ipc/client.ts';
import type { Client, MethodName } from '../ipc/protocol.ts';

/** `next` connects to the current daemon. */
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
