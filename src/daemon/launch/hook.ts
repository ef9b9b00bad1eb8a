// A shell command of the user's whose end is waited for, and whose last words are of interest.
import { spawn } from 'node:child_process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AppSpec } from '../../config/app-spec.ts';
import { detailOf } from '../../shared/errors.ts';
import { withPrivileges } from './privileges.ts';

export interface Hook extends Pick<AppSpec, 'cwd' | 'uid' | 'gid'> {
  command: string;
  env: Record<string, string>;
}

export interface HookEnd {
  /** Why it counts as failed; undefined when it has done its work. */
  problem: string | undefined;
  /** The last lines that it printed. */
  output: string[];
}

/** Characters that are kept of what it prints. */
const mostText = 16 * 1024;
const mostLines = 20;

/** Runs it in a session of its own; `abort` asks it to end. Never rejects. */
export async function runHook(hook: Hook, abort?: AbortSignal): Promise<HookEnd> {
  try {
    return await ended(start(hook), abort);
  } catch (error) {
    return { problem: detailOf(error), output: [] };
  }
}

/** The daemon guards its own files with a stricter mask. */
function start({ command, cwd, env, ...who }: Hook) {
  const { command: words, ids } = withPrivileges(['/bin/sh', '-c', `umask 022; ${command}`], who);
  const [file, ...args] = words;
  return spawn(file, args, { ...ids, cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
}

function ended(child: ReturnType<typeof start>, abort?: AbortSignal): Promise<HookEnd> {
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
    child.on('error', reject);
    // Not 'close': what it has left running may hold its output open for ever. What was printed just before the end is
    // there to be read, so the loop is given one whole turn for it.
    child.on('exit', (code, signal) => {
      const conclude = () => {
        abort?.removeEventListener('abort', stop);
        for (const stream of streams) stream.destroy();
        resolve({ problem: problemOf(code, signal), output: text.trimEnd().split('\n').slice(-mostLines) });
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
