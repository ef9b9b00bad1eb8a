// Replies to a command only after its changes are written down, so that nothing that was confirmed is ever lost. A command
// whose changes cannot be written down fails, although they have happened.
import { effectOf, type Handlers, type MethodName } from '../../ipc/protocol.ts';
import { detailOf, NsvError } from '../../shared/errors.ts';

/** `recorded` resolves when everything so far is written. It rejects with NOT_RECORDED if that is not possible. */
export function persistBeforeReply(handlers: Handlers, recorded: () => Promise<void>): Handlers {
  const kept = Object.entries(handlers).map(([name, run]) => {
    if (!effectOf(name as MethodName).persists) return [name, run];
    return [name, (...request: unknown[]) => after(() => Reflect.apply(run, handlers, request), recorded)];
  });
  return Object.fromEntries(kept) as Handlers;
}

async function after(run: () => unknown, recorded: () => Promise<void>): Promise<unknown> {
  const result = await Promise.resolve()
    .then(run)
    .catch(async (error) => {
      throw await recorded().then(
        () => error,
        (problem) => withDetail(error, detailOf(problem)),
      );
    });
  await recorded();
  return result;
}

/** A command that has failed may have changed something all the same. */
function withDetail(error: unknown, detail: string): unknown {
  if (!(error instanceof NsvError)) return error;
  const { details = [], ...rest } = error.toJSON();
  return new NsvError({ ...rest, details: [...details, detail] }, { cause: error });
}
