// A command is answered when what it has changed is written down, so that nothing that was answered is ever forgotten.
import type { Handlers, MethodName } from '../../ipc/protocol.ts';

/** Changes nothing that is written. */
const reading: readonly MethodName[] = [
  'ping',
  'list',
  'describe',
  'logs',
  'signal',
  'send',
  'trigger',
  'follow',
  'save',
];
/** Leaves nothing to be written. */
const ending: readonly MethodName[] = ['kill', 'upgrade'];

/** `settled` resolves when everything up to now is written. */
export function persistBeforeReply(handlers: Handlers, settled: () => Promise<void>): Handlers {
  const kept = Object.entries(handlers).map(([name, run]) => {
    if ([...reading, ...ending].some((other) => other === name)) return [name, run];
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
