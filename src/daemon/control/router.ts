// Routes a request to its handler: the only place that checks parameters, calls handlers and turns what they throw into
// failures.
import type { CallerView } from '../../ipc/journal/event-views.ts';
import { parameters } from '../../ipc/parameters.ts';
import { type CallStream, type Handlers, isMethod, type MethodName, type Report } from '../../ipc/protocol.ts';
import { badRequest, type Route, type RpcOutcome, rpcCodes, rpcError } from '../../ipc/rpc.ts';
import { detailOf, failure, NsvError, unforeseen } from '../../shared/errors.ts';

/** `onBug` is called with errors that are not in the catalogue, most of them bugs of nsv. */
export function createRouter(handlers: Handlers, onBug: (error: unknown, method: MethodName) => void): Route {
  return async (method, params, report, line, caller) => {
    if (!isMethod(method)) return { error: badRequest(rpcCodes.methodNotFound, `there is no method "${method}"`) };
    const given = parseParams(method, params);
    if ('error' in given) return given;
    // Handlers and parsers are rows of one table, but the compiler cannot match them for a method known only at run
    // time.
    const handle = handlers[method] as (
      params: unknown,
      report: Report,
      line: CallStream,
      caller: CallerView,
    ) => unknown;
    try {
      return { result: (await handle(given.params, report, line, caller)) ?? null };
    } catch (error) {
      if (error instanceof NsvError) return { error: rpcError(rpcCodes.application, error) };
      onBug(error, method);
      return { error: rpcError(rpcCodes.internalError, unforeseen(error)) };
    }
  };
}

function parseParams(
  method: MethodName,
  params: unknown,
): { params: unknown } | Extract<RpcOutcome, { error: unknown }> {
  try {
    return { params: parameters[method](params, 'parameters') };
  } catch (error) {
    const known =
      error instanceof NsvError ? error : failure('BAD_REQUEST', { detail: `${method}: ${detailOf(error)}` });
    return { error: rpcError(rpcCodes.invalidParams, known) };
  }
}
