// Loads other programs of nsv into the process of a command, by path, so that only that command pays for them.
import { createRequire } from 'node:module';
import { type Failure, isErrorCode, NsvError } from '../shared/errors.ts';

export function loadProgram<T>(file: string): T {
  return createRequire(file)(file) as T;
}

/** Converts an error of such a program, which has its own copy of the NsvError class. */
export function rethrow(error: Failure | Error): never {
  throw 'code' in error && isErrorCode(error.code) ? new NsvError(error, { cause: error }) : error;
}
