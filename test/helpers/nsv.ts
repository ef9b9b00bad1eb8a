// A home of its own and the real command line, for end-to-end tests.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { connectIfRunning } from '../../src/ipc/client.ts';
import type { Client } from '../../src/ipc/protocol.ts';
import type { ProcessView } from '../../src/ipc/views.ts';
import { homePaths } from '../../src/shared/paths.ts';
import { eventually, sees } from './eventually.ts';
import { procFile } from './proc.ts';

export const root = join(import.meta.dirname, '..', '..');
export const launcher = join(root, 'bin', 'nsv');
export const fixture = (name: string) => join(root, 'test', 'fixtures', 'apps', name);
export const hello = join(root, 'examples', 'hello.js');

export interface Ran {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  env?: Record<string, string | undefined>;
  cwd?: string;
  program?: string;
}

/** A home that is another one in each test of the file; a test that leaves a process behind fails. */
export function homeForEach(): TestHome {
  const home = new TestHome();
  beforeEach(() => home.begin());
  afterEach(async ({ task }) => {
    const left = await home.dispose();
    // What a test that has failed leaves behind follows from that, and would hide it.
    if (task.result?.state === 'fail') console.warn('left behind:', left);
    else expect(left, 'left behind').toEqual([]);
  });
  return home;
}

export class TestHome {
  directory = '';

  begin(): void {
    this.directory = mkdtempSync(join(tmpdir(), 'nsv-'));
  }

  get home(): string {
    return join(this.directory, 'home');
  }

  /** Writes a program into the test's own directory and returns its path. */
  script(name: string, source: string): string {
    const file = join(this.directory, name);
    writeFileSync(file, source, { mode: 0o755 });
    return file;
  }

  /** Runs `nsv` with these words to its end. */
  run(...words: string[]): Promise<Ran> {
    return this.runWith({}, ...words);
  }

  runWith({ env, cwd, program }: RunOptions, ...words: string[]): Promise<Ran> {
    const child = spawn(program ?? launcher, words, {
      cwd: cwd ?? this.directory,
      env: { ...process.env, NSV_HOME: this.home, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ran: Ran = { code: null, signal: null, stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text) => (ran.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (ran.stderr += text));
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => resolve({ ...ran, code, signal }));
    });
  }

  /** Runs `nsv` and throws what it said unless it ends with 0. */
  async ok(...words: string[]): Promise<string> {
    return (await this.#runUntil(0, words)).stdout;
  }

  /** Runs `nsv` and throws what it said unless it ends with this code. Returns its errors. */
  async fails(code: number, ...words: string[]): Promise<string> {
    return (await this.#runUntil(code, words)).stderr;
  }

  async #runUntil(expected: number, words: string[]): Promise<Ran> {
    const ran = await this.run(...words);
    if (ran.code === expected) return ran;
    throw new Error(`nsv ${words.join(' ')} ended with ${ran.code ?? ran.signal}\n${ran.stdout}${ran.stderr}`);
  }

  /** Starts `sleep 600` as an app: a program that neither listens nor reports, and so is ready when it has run for a moment. */
  sleeper(name: string, ...options: string[]): Promise<string> {
    return this.ok('start', '/bin/sleep', '--name', name, ...options, '--', '600');
  }

  /**
   * What `nsv list --json` prints, asked over the daemon's socket, as a command takes a tenth of a second of the processor. It is
   * the command where no daemon answers, so that a look brings one up as ever.
   */
  async list(...targets: string[]): Promise<ProcessView[]> {
    const views = await this.#asked((client) => client.list({ targets }));
    return sees('processes', views ?? (JSON.parse(await this.ok('list', '--json', ...targets)) as ProcessView[]));
  }

  async pids(...targets: string[]): Promise<(number | null)[]> {
    return (await this.list(...targets)).map(({ pid }) => pid);
  }

  /** Undefined if no daemon answers. */
  async #asked<T>(call: (client: Client) => Promise<T>): Promise<T | undefined> {
    const connection = await connectIfRunning(homePaths(this.home)).catch(() => undefined);
    try {
      return connection && (await call(connection.client));
    } catch {
      return undefined;
    } finally {
      connection?.close();
    }
  }

  /** Whether a daemon answers. None is launched for it. */
  async answers(): Promise<boolean> {
    const connection = await connectIfRunning(homePaths(this.home)).catch(() => undefined);
    connection?.close();
    return connection !== undefined;
  }

  /** The daemon's pid, from its file; undefined when there is none. */
  get daemonPid(): number | undefined {
    try {
      return Number.parseInt(readFileSync(join(this.home, 'daemon.pid'), 'utf8'), 10);
    } catch {
      return undefined;
    }
  }

  /** Resolves with its pid when it is dead; its guard starts another. */
  async killDaemon(): Promise<number> {
    const pid = this.daemonPid!;
    process.kill(pid, 'SIGKILL');
    await eventually(() => !isAlive(pid));
    return pid;
  }

  /** Resolves when there is another. */
  async replaceDaemon(): Promise<void> {
    const dead = await this.killDaemon();
    await eventually(() => this.daemonPid !== dead);
  }

  /** With its guard, so that nobody but the next command starts another. */
  async killDaemonAndGuard(): Promise<void> {
    const guard = this.killGuard();
    await this.killDaemon();
    await eventually(() => !isAlive(guard));
  }

  /** Those that keep the sockets of `--listen` for the next daemon. */
  get keepers(): number[] {
    return processesWith(`NSV_HOME=${this.home}`).filter((pid) => procFile(pid, 'cmdline')?.includes('keeper/main.js'));
  }

  /** With its guard and the keepers of sockets. */
  async killDaemonAndKeepers(): Promise<void> {
    await this.killDaemonAndGuard();
    const { keepers } = this;
    for (const pid of keepers) process.kill(pid, 'SIGKILL');
    await eventually(() => !keepers.some(isAlive));
  }

  /** Returns its pid. */
  killGuard(): number {
    const guard = Number(fieldsOfStat(this.daemonPid!)[1]);
    process.kill(guard, 'SIGKILL');
    return guard;
  }

  /** What the daemon has said. */
  log(): string {
    return readFileSync(join(this.home, 'daemon.log'), 'utf8');
  }

  /** Each line as an object. */
  logLines(): Record<string, unknown>[] {
    const lines = this.log().trim().split('\n');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** What it has said most loudly. */
  fatalLines(): Record<string, unknown>[] {
    return this.logLines().filter(({ level }) => level === 60);
  }

  /** Stops everything. Returns the pids and command lines of what is still alive although it belongs to this home. */
  async dispose(): Promise<string[]> {
    if (existsSync(this.home)) await this.#kill();
    const left = processesWith(`NSV_HOME=${this.home}`);
    const names = left.map((pid) => `${pid} ${procFile(pid, 'cmdline')?.replaceAll('\0', ' ') ?? ''}`.trim());
    for (const pid of left) killIfThere(pid);
    // Until it is dead, it may make another file in the directory.
    await eventually(() => !left.some(isAlive));
    rmSync(this.directory, { recursive: true, force: true });
    return names;
  }

  /** As `nsv kill`, without the process of a command where a daemon answers. */
  async #kill(): Promise<void> {
    const parent = this.daemonPid && Number(fieldsOfStat(this.daemonPid)[1]);
    // The parent of a daemon in the foreground is the test.
    const guards = processesWith(`NSV_HOME=${this.home}`).filter((pid) => pid === parent);
    const ended = await this.#asked((client) => client.kill({}));
    if (ended) await eventually(() => ![ended.pid, ...guards].some(isAlive));
    else await this.run('kill');
  }
}

/**
 * What /proc/<pid>/stat says after the name: the state, the parent, the process group, the session and so on. Nothing of a
 * process that is gone.
 */
export function fieldsOfStat(pid: number): string[] {
  return procFile(pid, 'stat')?.split(') ').at(-1)?.split(' ') ?? [];
}

/** Pids of living processes whose environment has these entries; other tests run at the same time, so name the home. */
export function processesWith(...entries: string[]): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      const environment = procFile(pid, 'environ')?.split('\0') ?? [];
      return entries.every((entry) => environment.includes(entry));
    })
    .map(Number);
}

/** Those of them that lead a session, as all do that nsv has started itself. */
export function leadersWith(...entries: string[]): number[] {
  return processesWith(...entries).filter((pid) => fieldsOfStat(pid)[3] === String(pid));
}

/** It may have ended since it was found. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

export function isAlive(pid: number): boolean {
  const [state] = fieldsOfStat(pid);
  return state !== undefined && state !== 'Z';
}

/** The file's text, once it is there and ends with a line. */
export function written(file: string): Promise<string> {
  return eventually(() => {
    const text = sees('text', existsSync(file) ? readFileSync(file, 'utf8') : '');
    return text.endsWith('\n') && text;
  }, `a line in ${file}`);
}
