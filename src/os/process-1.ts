// What Node knows of the shell above it, which stays there as process 1 of a container (bin/process-1.sh).
import { readFileSync } from 'node:fs';

/** Its pid; undefined where Node was started without it. */
export function shellAbove(): number | undefined {
  // The variable may have been handed down to somebody else's child.
  return Number(process.env.NSV_INIT) === process.ppid ? process.ppid : undefined;
}

/**
 * The environment that nsv was started with. A shell adds variables of its own, and drops those whose names it cannot
 * have (`a.b`, `a-b`); what the one above Node was given itself is still to be read.
 */
export function givenEnvironment(): Record<string, string> {
  const shell = shellAbove();
  const env = shell === undefined ? { ...process.env } : environmentOf(shell);
  return env as Record<string, string>;
}

function environmentOf(shell: number): NodeJS.ProcessEnv {
  const { NSV_INIT: _, ...env } = readEnvironment(shell) ?? process.env;
  return env;
}

/** Undefined where there is no /proc, or not for us. */
function readEnvironment(pid: number): NodeJS.ProcessEnv | undefined {
  try {
    const entries = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
    return Object.fromEntries(entries.map((entry) => entry.split(/=(.*)/s, 2)));
  } catch {
    return undefined;
  }
}
