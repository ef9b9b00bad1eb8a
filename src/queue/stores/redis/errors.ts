// What goes wrong with Redis, in words.
import { queueError } from '../../errors.ts';

/** What a failure means and what to do, by what Redis calls it. */
const meanings = new Map([
  ['WRONGPASS', 'it rejects the user name or the password; check them in "connection"'],
  ['NOAUTH', 'it wants a password; set it in "connection"'],
  ['NOPERM', 'its user may not do this; give it the rights that docs/queue.md names'],
  ['OOM', 'its memory is full (maxmemory)'],
  ['MISCONF', 'it cannot write to its disk'],
  ['READONLY', 'it is a replica; use the address of the primary'],
]);

/** As Redis says NOPERM of what a script does. */
const refusedInScript = /^ERR The user executing the script can't/;

/** Names the address. It has no password in it, and no task: the errors of ioredis hold the arguments of the command. */
export function storeError(address: string, error: unknown): Error {
  const { code } = error as NodeJS.ErrnoException;
  if (code?.toString().startsWith('NSV_')) return error as Error;
  const cause = bare(error);
  const words = refusedInScript.test(cause.message) ? ['NOPERM'] : cause.message.split(/[^A-Z]+/);
  const meaning = meanings.get(words.find((word) => meanings.has(word)) ?? '');
  const what = meaning ? `${meaning} (${cause.message})` : cause.message;
  return queueError('NSV_STORE', `the store in Redis at ${address} failed: ${what}`, cause);
}

function bare(error: unknown): Error {
  const { name, message, code, stack } = error as NodeJS.ErrnoException;
  // Node has no message for a host of several addresses, none of which answers.
  const text = name === 'MaxRetriesPerRequestError' ? 'the connection was lost' : message || code || String(error);
  return Object.assign(new Error(text), { name, ...(stack && { stack }), ...(code !== undefined && { code }) });
}
