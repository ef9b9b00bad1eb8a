// A shell command of the user's whose end is waited for, and whose last words are of interest.
import { spawn } from 'node:child_process';
import type { AppSpec } from '../../config/app-spec.ts';
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
export function runHook({ command, cwd, env, ...who }: Hook, abort?: AbortSignal): Promise<HookEnd> {
  return new Promise((resolve) => {
    const { command: words, ids } = withPrivileges(['/bin/sh', '-c', command], who);
    const [file, ...args] = words;
    const child = spawn(file, args, { ...ids, cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (part: string) => {
        text = (text + part).slice(-mostText);
      });
    }
    const stop = () => child.kill();
    const end = (problem: string | undefined) => {
      abort?.removeEventListener('abort', stop);
      // What it has left running may hold its output open for ever.
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
      resolve({ problem, output: text.trimEnd().split('\n').slice(-mostLines) });
    };
    abort?.addEventListener('abort', stop);
    child.on('error', (error) => end(error.message));
    // What was printed just before the end is read within the same turn of the loop, or the next.
    child.on('exit', (code, signal) => setImmediate(() => end(problemOf(code, signal))));
  });
}

function problemOf(code: number | null, signal: NodeJS.Signals | null): string | undefined {
  if (signal !== null) return `signal ${signal}`;
  return code === 0 ? undefined : `exit code ${code}`;
}
