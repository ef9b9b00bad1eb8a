// Loads other programs of nsv into the process of a command, by path, so that only that command pays for them.
import { createRequire } from 'node:module';

export function loadProgram<T>(file: string): T {
  return createRequire(file)(file) as T;
}
