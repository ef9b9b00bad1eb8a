// Runs shell commands of the user in sessions of their own, with the rights and in the directory of an app, and keeps the end
// of their output.
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AppSpec } from '../../config/app-spec.ts';
import { spawnChild } from '../../os/spawn-child.ts';
import { killGroup } from '../../os/terminate.ts';
import { inDirectory, type RunAs, withPrivileges } from '../../privileges/privileges.ts';
import { detailOf } from '../../shared/errors.ts';
import { renderDuration } from '../../shared/units.ts';

export interface ShellCommand extends Pick<AppSpec, 'cwd' | 'umask'>, RunAs {
  command: string;
  env: Record<string, string>;
  /** What it gets on its standard input. Default: nothing. */
  input?: string;
}

export interface Hook extends ShellCommand {
  /** Milliseconds after which it is killed, with what it has started. Default: it may take as long as it likes. */
  timeout?: number;
  /** The same from the moment on in which it is aborted. */
  killTimeout?: number;
}

export interface HookEnd {
  /** Why the hook failed; undefined if it succeeded. */
  problem: string | undefined;
  /** The last lines of its output. */
  output: string[];
}

/** Characters of output to keep. */
const mostText = 16 * 1024;
const mostLines = 20;

const running = new Set<ReturnType<typeof startCommand>>();

/** Kills all that run, with what they have started. */
export function killHooks(): void {
  for (const child of running) sendTo(child, 'SIGKILL');
}

/** `abort` sends SIGTERM to it and what it has started. Never rejects. */
export async function runHook({ timeout, killTimeout, ...command }: Hook, abort?: AbortSignal): Promise<HookEnd> {
  try {
    const child = startCommand(command);
    running.add(child);
    let isLate = false;
    const kill = () => {
      isLate = true;
      sendTo(child, 'SIGKILL');
    };
    let timer = timeout === undefined ? undefined : setTimeout(kill, timeout);
    const interrupt = () => {
      clearTimeout(timer);
      sendTo(child, 'SIGTERM');
      if (killTimeout !== undefined) timer = setTimeout(sendTo, killTimeout, child, 'SIGKILL');
    };
    abort?.addEventListener('abort', interrupt);
    const { problem, text } = await endOf(child).finally(() => {
      clearTimeout(timer);
      running.delete(child);
      abort?.removeEventListener('abort', interrupt);
    });
    return {
      problem: isLate ? `no exit within ${renderDuration(timeout ?? 0)}` : problem,
      output: text.split('\n').slice(-mostLines),
    };
  } catch (error) {
    return { problem: detailOf(error), output: [] };
  }
}

/** Also to what it has started. */
function sendTo({ pid }: ReturnType<typeof startCommand>, signal: 'SIGKILL' | 'SIGTERM'): void {
  if (pid !== undefined) killGroup(pid, signal);
}

export function startCommand({ command, cwd, env, umask, input, ...who }: ShellCommand) {
  const inside = inDirectory(cwd, who, ['/bin/sh', '-c', `umask ${umask}; ${command}`]);
  const { command: words, identity } = withPrivileges(inside.command, who, env);
  const [file, ...args] = words;
  const child = spawnChild(file, args, {
    ...identity,
    cwd: inside.cwd,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // It may end without having read its input.
  child.stdin.on('error', () => {}).end(input);
  return child;
}

/** Resolves when it has ended. `problem`: undefined after exit code 0. Rejects if it could not be started. */
export async function endOf(
  child: ReturnType<typeof startCommand>,
): Promise<{ problem: string | undefined; text: string }> {
  const streams = [child.stdout, child.stderr];
  let text = '';
  for (const stream of streams) {
    stream.on('error', () => {});
    stream.setEncoding('utf8').on('data', (part: string) => {
      text = (text + part).slice(-mostText);
    });
  }
  child.on('error', () => {});
  // Not 'close', because processes that the command left running may hold its output open for ever. Output from just
  // before the exit may still be unread, so the loop gets one whole turn to read it.
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  await nextTurn();
  await nextTurn();
  for (const stream of streams) stream.destroy();
  const problem = signal === null ? `exit code ${code}` : `signal ${signal}`;
  return { problem: code === 0 ? undefined : problem, text: text.trimEnd() };
}
