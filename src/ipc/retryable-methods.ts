// Which calls can be made once more, of the daemon that comes next: daemons may die, or hand over, while they are asked.
import { isFailure } from '../shared/errors.ts';
import type { MethodName } from './protocol.ts';

/** Asked twice they change nothing either. */
const questions: readonly MethodName[] = ['ping', 'list', 'describe', 'logs'];

/** `isFirst`: a daemon that dies of a question is not asked for ever. */
export function canAskAgain(name: MethodName, error: unknown, isFirst: boolean): boolean {
  if (isFailure(error, 'HANDED_OVER')) return true;
  return isFirst && questions.includes(name) && isFailure(error, 'DAEMON_UNREACHABLE');
}
