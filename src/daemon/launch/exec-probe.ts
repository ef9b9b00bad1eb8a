// Runs the command of a probe as the app's user, in its directory and with its environment.
//
// The command carries the mark of the process that it asks about, as if it were its descendant. So what it leaves behind, also
// because the daemon dies meanwhile, ends with that process at the latest. If it does not want to end, that would take the whole
// kill timeout, so the next daemon ends it before.
import type { ChildProcess } from 'node:child_process';
import { instanceEnvironment } from '../../config/environment.ts';
import { probeVariable } from '../../os/own-variables.ts';
import { startTimeOf, variableOfProcess } from '../../os/proc.ts';
import { ProcessTree, type TreeControl } from '../../os/process-tree.ts';
import { groupLives, killGroup } from '../../os/terminate.ts';
import { variablesFor } from './descendants.ts';
import { endOf, startCommand } from './hook.ts';
import type { Child } from './launcher.ts';

/**
 * Resolves when it has ended: with undefined if that was with exit code 0, else with the reason in one line. `abort` kills it
 * with its descendants. Rejects if it cannot be started, and after `abort`.
 */
export async function runProbe(
  command: string,
  { plan, tree }: Child,
  control: TreeControl,
  abort: AbortSignal,
): Promise<string | undefined> {
  abort.throwIfAborted();
  const env = { ...instanceEnvironment(plan.spec, plan), ...variablesFor(tree), [probeVariable]: '1' };
  const child = startCommand({ ...plan.spec, command, env });
  const kill = () => killTree(child, control);
  abort.addEventListener('abort', kill);
  child.once('exit', () => {
    if (child.pid !== undefined && groupLives(child.pid)) killGroup(child.pid);
  });
  try {
    const { problem, text } = await endOf(child);
    abort.throwIfAborted();
    const lastLine = text.split('\n').at(-1);
    return problem && lastLine ? `${problem}: ${lastLine}` : problem;
  } finally {
    abort.removeEventListener('abort', kill);
  }
}

/** The start time is that of the moment: the pid is not free before its exit has been reported. */
function killTree({ pid, exitCode, signalCode }: ChildProcess, control: TreeControl): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  new ProcessTree({ pid, startTime: startTimeOf(pid) }, control).kill();
  if (groupLives(pid)) killGroup(pid);
}

/** Kills the commands of probes that an earlier daemon has left running, and what they have started. Call it before the first. */
export function endLeftProbes(child: Child, control: TreeControl): void {
  for (const member of control.treeOf(child)) {
    if (variableOfProcess(member.pid, probeVariable) !== undefined) control.signal(member, 'SIGKILL');
  }
}
