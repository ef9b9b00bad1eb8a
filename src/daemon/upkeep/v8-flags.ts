// V8 settings for a process that should stay small, and need not be fast at arithmetic.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * No optimizing compiler, whose own memory is more than the daemon's heap; a heap that grows reluctantly; and `gc`, for
 * idle-gc.ts. Measured with bench/memory.mjs and bench/crash-loop.mjs.
 */
const flags = ['--no-opt', '--no-maglev', '--optimize-for-size', '--expose-gc'];

/**
 * Call it when everything is loaded. On the command line, these flags would cost half of Node's startup time: Node
 * ships compiled code of its own modules, which V8 accepts only with the flags it was compiled with.
 */
export function setV8Flags(): void {
  for (const flag of flags) setFlagsFromString(flag);
}

/** Only contexts that are created after the flag was set have `gc`. */
export function garbageCollector(): NodeJS.GCFunction {
  return runInNewContext('gc') as NodeJS.GCFunction;
}
