// `nsv run`, or another command that lasts, as a child of the test, which reads what it prints and sends it signals.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually, sees } from './eventually.ts';
import type { Ran, TestHome } from './nsv.ts';
import { launcher, root } from './nsv.ts';
import { finish } from './program.ts';

export interface Ways {
  /** Default: `run`. */
  command?: string;
  env?: Record<string, string | undefined>;
  /** Words before those of nsv, such as those of `unshare`. */
  within?: readonly string[];
  /** Text for standard input; by default it is empty. */
  input?: string;
  /** Default: the directory of the test. */
  cwd?: string;
  /** What runs `nsv`. Default: the launcher. */
  program?: readonly string[];
}

/** A namespace in which the first process is process 1, and which nobody outlives it. */
export const namespace = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'] as const;

/** The reason to skip, printed; undefined where namespaces may be made. */
export async function whyNoNamespace(): Promise<string | undefined> {
  const [program, ...args] = namespace;
  const { code, stderr, error } = await finish(program, [...args, 'true']);
  if (code === 0) return undefined;
  const reason = `no pid namespace: ${error?.message ?? stderr.trim()}`;
  console.warn(`skipped: ${reason}`);
  return reason;
}

/** Node itself as process 1, where there is no `sh`. */
export const withoutShell = [process.execPath, `${root}/dist/cli/main.js`] as const;

export class Foreground {
  readonly child: ChildProcess;
  readonly ended: Promise<Ran>;
  stdout = '';
  stderr = '';
  #end: string | undefined;

  constructor(home: TestHome, words: readonly string[], ways: Ways = {}) {
    const { command = 'run', env, within = [], input = '', cwd = home.directory, program = [launcher] } = ways;
    const [file, ...args] = [...within, ...program, command, ...words] as [string, ...string[]];
    this.child = spawn(file, args, {
      cwd,
      env: { ...process.env, NSV_HOME: home.home, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child.stdout!.setEncoding('utf8').on('data', (text) => (this.stdout += text));
    this.child.stderr!.setEncoding('utf8').on('data', (text) => (this.stderr += text));
    this.child.stdin!.on('error', () => {}).end(input);
    this.ended = once(this.child, 'close').then(([code, signal]) => {
      this.#end = String(signal ?? code);
      return { code, signal, stdout: this.stdout, stderr: this.stderr };
    });
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Resolves with the first match in what it printed so far. */
  prints(pattern: RegExp): Promise<RegExpExecArray> {
    return eventually(() => {
      const end = this.#end;
      const match = pattern.exec(sees('standard output', this.stdout)) ?? pattern.exec(sees('errors', this.stderr));
      if (!match && end !== undefined)
        throw new Error(`it ended with ${end} and printed only:\n${this.stdout}${this.stderr}`);
      return match;
    }, `${pattern} in what is printed`);
  }

  sends(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }
}
