// Replies to a command only after its changes are written down, so that nothing that was confirmed is ever lost.
import { effectOf, type Handlers, type MethodName } from '../../ipc/protocol.ts';

/** `settled` resolves when everything so far is written. */
export function persistBeforeReply(handlers: Handlers, settled: () => Promise<void>): Handlers {
  const kept = Object.entries(handlers).map(([name, run]) => {
    if (!effectOf(name as MethodName).persists) return [name, run];
    return [name, (...request: unknown[]) => after(() => Reflect.apply(run, handlers, request), settled)];
  });
  return Object.fromEntries(kept) as Handlers;
}

async function after(run: () => unknown, settled: () => Promise<void>): Promise<unknown> {
  try {
    return await run();
  } finally {
    await settled();
  }
}
