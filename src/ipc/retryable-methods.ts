// Decides whether a call that failed because the daemon died or was replaced can be repeated to the next one.
import { isFailure } from '../shared/errors.ts';
import { effectOf, type MethodName } from './protocol.ts';

/** Without HANDED_OVER only the first failure is retried (`isFirst`), in case the call itself crashes the daemon. */
export function canAskAgain(name: MethodName, error: unknown, isFirst: boolean): boolean {
  if (isFailure(error, 'HANDED_OVER')) return true;
  return isFirst && effectOf(name).isRepeatable && isFailure(error, 'DAEMON_UNREACHABLE');
}
