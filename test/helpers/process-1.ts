// nsv's launcher as process 1 of a pid namespace, under each shell, with a stand-in for what it starts.
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { eventually } from './eventually.ts';
import { root } from './nsv.ts';
import { procFile } from './proc.ts';
import { works } from './program.ts';

/** Programs that may be `sh`. As that, bash is in its POSIX mode. What bash cannot do: docs/process-1.md. */
export const shells = [
  { shell: 'dash', command: ['dash'], isExact: true },
  { shell: 'bash', command: ['bash'], isExact: false },
  { shell: 'bash as sh', command: ['bash', '--posix'], isExact: false },
  { shell: 'busybox sh', command: ['busybox', 'sh'], isExact: true },
];

const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
const namespace = ['unshare', ...asRoot, '--pid', '--fork', '--mount-proc', '--kill-child'];

/** Why a shell cannot be tried here; undefined where it can. */
export async function whyNoShell([shell, ...words]: string[]): Promise<string | undefined> {
  return (await works(shell!, ...words, '-c', 'exit 0')) ? undefined : `${shell} is not installed`;
}

/** Why it cannot be tried as process 1. */
export async function whyNoProcess1(command: string[]): Promise<string | undefined> {
  const [unshare, ...words] = [...namespace, 'true'];
  return (await works(unshare!, ...words)) ? whyNoShell(command) : 'unshare may not make a pid namespace here';
}

export interface Start {
  env?: Record<string, string | undefined>;
  stdio?: StdioOptions;
  /** Words in front of the shell. */
  by?: string[];
}

/** A tree in which the launcher finds a stand-in where it looks for its program. */
export class StandIn {
  readonly directory = mkdtempSync(join(tmpdir(), 'nsv-process-1-'));
  readonly launcher = join(this.directory, 'bin', 'nsv');

  /** `program`: the name of a fixture, or the path of a program. */
  constructor(program: string) {
    const cli = join(this.directory, 'dist', 'cli');
    cpSync(join(root, 'bin'), join(this.directory, 'bin'), { recursive: true });
    mkdirSync(cli, { recursive: true });
    cpSync(resolve(root, 'test', 'fixtures', 'process-1', program), join(cli, 'main.js'));
    writeFileSync(join(cli, 'package.json'), `{ "type": "${program.endsWith('.mjs') ? 'module' : 'commonjs'}" }`);
  }

  /** The command line of `nsv run` as process 1. */
  commandLine(shell: string[], by: string[], ...words: string[]): string[] {
    return [...namespace, ...by, ...shell, this.launcher, 'run', ...words];
  }

  start(shell: string[], words: string[], { env, stdio, by = [] }: Start = {}): Started {
    const [program, ...args] = this.commandLine(shell, by, ...words);
    return new Started(
      spawn(program!, args, { env: { ...process.env, ...env }, stdio: stdio ?? ['pipe', 'pipe', 'inherit'] }),
    );
  }

  dispose(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export class Started {
  readonly child: ChildProcess;
  /** The exit code. */
  readonly ended: Promise<number | null>;
  readonly #lines: AsyncIterator<string> | undefined;

  constructor(child: ChildProcess) {
    this.child = child;
    // It takes process 1 with it, and the kernel the rest.
    onTestFinished(() => void child.kill('SIGKILL'));
    this.ended = new Promise((resolve, reject) => child.on('error', reject).on('exit', resolve));
    if (child.stdout) this.#lines = createInterface(child.stdout as Readable)[Symbol.asyncIterator]();
  }

  /** The next line that was printed; undefined at the end. */
  async line(): Promise<string | undefined> {
    const { value, done } = await this.#lines!.next();
    return done ? undefined : value;
  }

  /** Signals process 1, between two sleeps: bash loses signals that come together. */
  async signal(name: NodeJS.Signals): Promise<void> {
    const { pid } = this.child;
    const first = procFile(pid!, `task/${pid}/children`)!.trim();
    await eventually(() => isAtRest(first));
    process.kill(Number(first), name);
    await eventually(() => isAtRest(first));
  }
}

/** It is gone, or has heard all signals and sleeps again. */
function isAtRest(pid: string): boolean {
  const status = procFile(pid, 'status');
  return status === undefined || (/^State:\tS/m.test(status) && /^ShdPnd:\t0+$/m.test(status));
}
