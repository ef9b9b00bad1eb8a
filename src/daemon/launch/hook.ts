// Runs a shell command of the user, waits for its exit, and keeps the end of its output.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AppSpec } from '../../config/app-spec.ts';
import { spawnChild } from '../../os/spawn-child.ts';
import { killGroup } from '../../os/terminate.ts';
import { detailOf } from '../../shared/errors.ts';
import { renderDuration } from '../../shared/units.ts';
import { inDirectory, type Runner, withPrivileges } from './privileges.ts';

export interface Hook extends Pick<AppSpec, 'cwd' | 'umask'>, Runner {
  command: string;
  env: Record<string, string>;
  /** What it gets on its standard input. Default: nothing. */
  input?: string;
  /** Milliseconds after which it is killed, with what it has started. Default: it may take as long as it likes. */
  timeout?: number;
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

/** Runs the hook in its own session; `abort` sends it SIGTERM. Never rejects. */
export async function runHook(hook: Hook, abort?: AbortSignal): Promise<HookEnd> {
  try {
    return await ended(start(hook), hook, abort);
  } catch (error) {
    return { problem: detailOf(error), output: [] };
  }
}

function start({ command, cwd, env, umask, input, ...who }: Hook) {
  const inside = inDirectory(cwd, who, ['/bin/sh', '-c', `umask ${umask}; ${command}`]);
  const { command: words, ids } = withPrivileges(inside.command, who);
  const [file, ...args] = words;
  const child = spawnChild(file, args, {
    ...ids,
    cwd: inside.cwd,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // It may end without having read its input.
  child.stdin.on('error', () => {}).end(input);
  return child;
}

function ended(child: ReturnType<typeof start>, { timeout }: Hook, abort?: AbortSignal): Promise<HookEnd> {
  const streams = [child.stdout, child.stderr];
  let text = '';
  for (const stream of streams) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      text = (text + part).slice(-mostText);
    });
  }
  return new Promise((resolve, reject) => {
    const stop = () => child.kill();
    abort?.addEventListener('abort', stop);
    let isLate = false;
    const kill = () => {
      isLate = true;
      if (child.pid !== undefined) killGroup(child.pid);
    };
    const timer = timeout === undefined ? undefined : setTimeout(kill, timeout);
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    // Not 'close', because processes that the hook left running may hold its output open for ever. Output from just
    // before the exit may still be unread, so the loop gets one whole turn to read it.
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      const conclude = () => {
        abort?.removeEventListener('abort', stop);
        for (const stream of streams) stream.destroy();
        const problem = isLate ? `no exit within ${renderDuration(timeout ?? 0)}` : problemOf(code, signal);
        resolve({ problem, output: text.trimEnd().split('\n').slice(-mostLines) });
      };
      nextTurn()
        .then(() => nextTurn())
        .then(conclude)
        .catch(reject);
    });
  });
}

function problemOf(code: number | null, signal: NodeJS.Signals | null): string | undefined {
  if (signal !== null) return `signal ${signal}`;
  return code === 0 ? undefined : `exit code ${code}`;
}
