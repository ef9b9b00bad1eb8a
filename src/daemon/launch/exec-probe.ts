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
import { spawnChild } from '../../os/spawn-child.ts';
import { groupLives, killGroup } from '../../os/terminate.ts';
import { variablesFor } from './descendants.ts';
import type { Child } from './launcher.ts';
import { inDirectory, withPrivileges } from './privileges.ts';

/** Characters of output to keep: its last line says what was wrong. */
const mostText = 4 * 1024;

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
  const { spec } = plan;
  const inside = inDirectory(spec.cwd, spec, ['/bin/sh', '-c', `umask ${spec.umask}; ${command}`]);
  const { command: words, ids } = withPrivileges(inside.command, spec);
  const [file, ...args] = words;
  const env = { ...instanceEnvironment(spec, plan), ...variablesFor(tree), [probeVariable]: '1' };
  const child = spawnChild(file, args, {
    ...ids,
    cwd: inside.cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = () => killTree(child, control);
  abort.addEventListener('abort', kill);
  try {
    const problem = await ended(child);
    abort.throwIfAborted();
    return problem;
  } finally {
    abort.removeEventListener('abort', kill);
  }
}

function ended(child: ChildProcess): Promise<string | undefined> {
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  let text = '';
  for (const stream of streams) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      text = (text + part).slice(-mostText);
    });
    stream.on('error', () => {});
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    // Not 'close', because what the command left running may hold its output open for ever. Output from just before the exit
    // may still be unread, so the loop gets two turns to read it.
    child.on('exit', (code, signal) => {
      const { pid } = child;
      if (pid !== undefined && groupLives(pid)) killGroup(pid);
      setImmediate(() =>
        setImmediate(() => {
          for (const stream of streams) stream.destroy();
          const end = signal === null ? `exit code ${code}` : `signal ${signal}`;
          const said = text.trimEnd().split('\n').at(-1);
          resolve(code === 0 ? undefined : `${end}${said ? `: ${said}` : ''}`);
        }),
      );
    });
  });
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
