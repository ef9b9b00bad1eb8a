// The property of functions that read what others wrote: they return, or throw an error in words, within a second.
import { Finding } from './finding.mjs';

/** How the engine says that a program is wrong. */
const native =
  /Cannot (read|set|convert|destructure|access|use)|is not (a function|iterable|a constructor|defined)|call stack|Invalid array length|Invalid string length|The ".*" argument/;

/** Milliseconds, with much room for a machine that does other work. */
const longest = 1_000;

/** Runs `read`. `known` says whether an error is one that the function is meant to throw. */
export async function expectWorded(what, read, known, input) {
  const begin = process.cpuUsage();
  try {
    await read();
  } catch (error) {
    if (!(error instanceof Error) || native.test(error.message) || !known(error))
      throw new Finding(
        `${what} threw ${error instanceof Error ? error.stack.split('\n').slice(0, 3).join(' | ') : String(error)}`,
        input,
      );
  }
  // Of the processor: others may use it meanwhile.
  const { user, system } = process.cpuUsage(begin);
  const ms = (user + system) / 1_000;
  if (ms > longest) throw new Finding(`${what} took ${Math.round(ms)} ms`, input);
}
