// An app with several ports can serve when it has them all: many open the first one before they have loaded what the others need.
import { hasRequest } from '../node-internals.ts';
import { onceNoneWaits } from '../sockets/grants.ts';

/** Saved, because an app may replace the global, for example with fake timers. */
const { setTimeout } = globalThis;
const now = performance.now.bind(performance);

/** Milliseconds. */
const betweenLooks = 10;
/** Milliseconds for which files are waited for. A pipe among them may be open for ever. */
const patience = 500;

/** Calls back when the process asks for no more sockets, and reads no more files: then it is loading nothing. */
export function onceItHasAll(done: () => void, begin = now()): void {
  onceNoneWaits(() => {
    if (!hasRequest(/^FSReq/) || now() - begin > patience) done();
    else setTimeout(onceItHasAll, betweenLooks, done, begin).unref();
  });
}
