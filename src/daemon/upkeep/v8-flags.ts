// Settings of V8 for a process that is to stay small, not to be fast at arithmetic.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * No optimizing compiler, whose own memory is more than the daemon's heap; a heap that grows with reluctance; and `gc`, for
 * idle-gc.ts. Measured with bench/memory.mjs and bench/crash-loop.mjs.
 */
const flags = ['--no-opt', '--no-maglev', '--optimize-for-size', '--expose-gc'];

/**
 * To be called when all is loaded. On the command line these flags would cost half a start of Node: the compiled code of its
 * own modules, which Node carries along, counts only for a V8 with the flags it was made with.
 */
export function setV8Flags(): void {
  for (const flag of flags) setFlagsFromString(flag);
}

/** Only contexts that are made once the flag is set have it. */
export function garbageCollector(): NodeJS.GCFunction {
  return runInNewContext('gc') as NodeJS.GCFunction;
}
