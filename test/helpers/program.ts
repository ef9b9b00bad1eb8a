// Programs that a test runs to their end. A synchronous child would also hold up the timers of the test, its deadline among them.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { text } from 'node:stream/consumers';

export interface Finished {
  pid: number | undefined;
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** Why the program could not be run at all. */
  error?: Error;
}

export interface FinishOptions extends Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'> {
  /** Text for standard input; by default it is empty. */
  input?: string;
}

/** Resolves when the program has ended, or could not be run. */
export async function finish(program: string, words: string[] = [], options: FinishOptions = {}): Promise<Finished> {
  const { input = '', ...rest } = options;
  const child = spawn(program, words, { ...rest, stdio: 'pipe' });
  // It may end without having read its input.
  child.stdin.on('error', () => {}).end(input);
  const [ended, stdout, stderr] = await Promise.all([ending(child), text(child.stdout), text(child.stderr)]);
  return { pid: child.pid, stdout, stderr, ...ended };
}

function ending(child: ChildProcess): Promise<Pick<Finished, 'code' | 'signal' | 'error'>> {
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: null, signal: null, error }));
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
}

/** What the program prints. Throws what it said unless it ends with 0. */
export async function outputOf(program: string, words: string[] = [], options: FinishOptions = {}): Promise<string> {
  const { code, signal, stdout, stderr, error } = await finish(program, words, options);
  if (code === 0) return stdout;
  throw new Error(`${program} ${words.join(' ')}: ${error?.message ?? signal ?? code}\n${stdout}${stderr}`);
}

/** Whether the program is there and ends with 0. */
export async function works(program: string, ...words: string[]): Promise<boolean> {
  return (await finish(program, words)).code === 0;
}

/** FIFOs that only their owner may use. */
export async function makeFifo(...files: string[]): Promise<void> {
  await outputOf('mkfifo', ['-m', '600', ...files]);
}

/** Writes as much as there is room for in a FIFO, as often as it takes. */
export async function writeAll(fd: number, bytes: Buffer | string): Promise<void> {
  for (let rest = Buffer.from(bytes); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      await new Promise(setImmediate);
    }
  }
}
