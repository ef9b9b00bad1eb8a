// A client that goes on with the next daemon when the one that it has reached hands over to another.
import type { Client, MethodName } from '../ipc/protocol.ts';
import { isFailure } from '../shared/errors.ts';

/** `next` reaches the daemon that is there now. */
export function lastingClient(first: Client, next: () => Promise<Client>): Client {
  let current = Promise.resolve(first);

  async function call(name: MethodName, params: never): Promise<unknown> {
    const asked = current;
    try {
      return await (await asked)[name](params);
    } catch (error) {
      // What a daemon sends away so it has not begun: it can be asked again of the next one.
      if (!isFailure(error, 'HANDED_OVER')) throw error;
      if (current === asked) current = next();
      return call(name, params);
    }
  }

  const names = Object.keys(first) as MethodName[];
  return Object.fromEntries(names.map((name) => [name, (params: never) => call(name, params)])) as Client;
}
