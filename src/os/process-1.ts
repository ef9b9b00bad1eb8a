// What Node knows about its parent shell when that shell stays as process 1 of a container (bin/process-1.sh).
import { withoutOwnVariables } from './own-variables.ts';
import { environmentOfProcess } from './proc.ts';

/** The pid of that shell; undefined if Node was started without it. */
export function shellAbove(): number | undefined {
  // The variable may have been inherited through another process, so the pid has to match.
  return Number(process.env.NSV_INIT) === process.ppid ? process.ppid : undefined;
}

/**
 * The environment that nsv was started with, without what belongs to an app that runs above it. A shell adds variables
 * of its own and drops those whose names it does not support (`a.b`, `a-b`), so this reads the original environment of
 * the shell.
 */
export function givenEnvironment(): Record<string, string> {
  const shell = shellAbove();
  const env = shell === undefined ? { ...process.env } : environmentOf(shell);
  return withoutOwnVariables(env as Record<string, string>);
}

function environmentOf(shell: number): NodeJS.ProcessEnv {
  const entries = environmentOfProcess(shell)?.split('\0').filter(Boolean);
  const given = entries && Object.fromEntries(entries.map((entry) => entry.split(/=(.*)/s, 2)));
  const { NSV_INIT: _, ...env }: NodeJS.ProcessEnv = given ?? process.env;
  return env;
}
