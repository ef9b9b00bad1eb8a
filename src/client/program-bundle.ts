// Programs of nsv that a command loads into its own process, by path: no other command may pay for them.
import { createRequire } from 'node:module';
import { type Failure, isErrorCode, NsvError } from '../shared/errors.ts';

export function loadProgram<T>(file: string): T {
  return createRequire(file)(file) as T;
}

/** The other program has a class of its own for the same errors. */
export function rethrow(error: Failure | Error): never {
  throw 'code' in error && isErrorCode(error.code) ? new NsvError(error, { cause: error }) : error;
}
