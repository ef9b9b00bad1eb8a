// Whether a call can be made once more, of the daemon that comes next: daemons may die, or hand over, while they are asked.
import { isFailure } from '../shared/errors.ts';
import { effectOf, type MethodName } from './protocol.ts';

/** `isFirst`: a daemon that dies of a question is not asked for ever. */
export function canAskAgain(name: MethodName, error: unknown, isFirst: boolean): boolean {
  if (isFailure(error, 'HANDED_OVER')) return true;
  return isFirst && effectOf(name).isRepeatable && isFailure(error, 'DAEMON_UNREACHABLE');
}
