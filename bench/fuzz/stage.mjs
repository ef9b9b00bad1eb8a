// A daemon in a home of its own, with apps that nobody attacks: they and the daemon must survive everything.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Finding, within } from './finding.mjs';
import { callOnce } from './wire.mjs';

/** Milliseconds for the daemon to answer `list`, on a machine with other work. */
const timeout = 10_000;
/** Milliseconds for a command of the command line. */
const commandTime = 60_000;
/** Bytes: the limits of the wire allow a client some 160 MB, and Node itself needs 60. */
const mostMemory = 512 * 1024 * 1024;

const app = (name) => fileURLToPath(new URL(`apps/${name}`, import.meta.url));

export class Stage {
  /** Apps that nobody attacks, and their pids. */
  #canaries = new Map();
  #daemon = 0;
  /** Exit codes that docs/errors.md has. */
  #exitCodes;
  #seen = 0;
  mostMemory = 0;

  /** `packageRoot`: the nsv under test; `codes`: the documented exit codes. */
  constructor(directory, packageRoot, codes) {
    this.directory = directory;
    this.home = join(directory, 'home');
    this.socket = join(this.home, 'daemon.sock');
    this.packageRoot = packageRoot;
    this.#exitCodes = codes;
    this.env = { PATH: process.env.PATH, NSV_HOME: this.home, NSV_NODE: process.execPath, HOME: directory };
  }

  at(...path) {
    return join(this.home, ...path);
  }

  async begin() {
    rmSync(this.home, { recursive: true, force: true });
    for (const name of ['apps', 'work']) mkdirSync(join(this.directory, name), { recursive: true });
    const plain = ['--namespace', 'canary', '--min-uptime', '50ms'];
    await this.succeed('start', '/bin/sleep', '--name', 'canary-sleep', ...plain, '--', '1000000');
    await this.succeed('start', app('canary.mjs'), '--name', 'canary-node', ...plain, '-i', '2');
    await this.succeed(
      'start',
      '/bin/sleep',
      '--name',
      `canary-${'a'.repeat(32)}_`,
      '--time',
      ...plain,
      '--',
      '1000000',
    );
    this.#canaries = new Map((await this.list()).map(({ id, name, pid }) => [id, { name, pid }]));
    this.#daemon = this.daemonPid();
    this.#seen = 0;
  }

  daemonPid() {
    try {
      return Number.parseInt(readFileSync(this.at('daemon.pid'), 'utf8'), 10);
    } catch {
      return undefined;
    }
  }

  /** Runs a command; its exit code must be a documented one. */
  async run(...words) {
    const child = spawn(join(this.packageRoot, 'bin', 'nsv'), words, {
      env: this.env,
      cwd: join(this.directory, 'work'),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ran = { code: null, signal: null, stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text) => (ran.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (ran.stderr += text));
    const ended = new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => resolve(Object.assign(ran, { code, signal })));
    });
    const line = `nsv ${words.join(' ')}`;
    try {
      await within(commandTime, `"${line}" did not end within ${commandTime / 1_000} s`, ended);
    } finally {
      child.kill('SIGKILL');
    }
    if (!this.#exitCodes.has(ran.code) || ran.code === 70)
      throw new Finding(`"${line}" ended with ${ran.signal ?? ran.code}`, ran.stderr);
    return ran;
  }

  async succeed(...words) {
    const { code, stdout, stderr } = await this.run(...words);
    if (code !== 0) throw new Error(`nsv ${words.join(' ')} ended with ${code}\n${stdout}${stderr}`);
    return stdout;
  }

  async list() {
    const reply = await callOnce(this.socket, 'list', { targets: [] }, timeout);
    if (!Array.isArray(reply.result)) throw new Finding('the daemon did not list its apps', reply);
    return reply.result;
  }

  /** Checks everything that must hold at any time. */
  async judge() {
    const pid = this.daemonPid();
    if (pid !== this.#daemon) throw new Finding('the daemon died', this.#tail());
    const views = await this.#listOrDeath();
    for (const [id, { name, pid }] of this.#canaries) {
      const view = views.find((one) => one.id === id && one.name === name);
      if (!view) throw new Finding(`the app ${name} was lost`, this.#tail());
      if (view.pid !== pid || view.status !== 'online')
        throw new Finding(`the app ${name} is ${view.status}, with pid ${view.pid} instead of ${pid}`, this.#tail());
    }
    const memory = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
    this.mostMemory = Math.max(this.mostMemory, memory);
    if (memory > mostMemory) throw new Finding(`the daemon uses ${Math.round(memory / 2 ** 20)} MB`);
    this.#readLog();
    return views;
  }

  async #listOrDeath() {
    try {
      return await this.list();
    } catch (error) {
      if (isAlive(this.#daemon)) throw error;
      // The guard starts another one, which says nothing of why.
      throw new Finding('the daemon died', this.#tail());
    }
  }

  /** Ends the daemon and its guard, as a power cut would; the apps keep running. */
  async killDaemon() {
    const daemon = this.daemonPid();
    const guard = Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${daemon}/stat`, 'utf8'))?.[1]);
    for (const pid of [guard, daemon]) process.kill(pid, 'SIGKILL');
    await until(() => !isAlive(daemon) && !isAlive(guard), 'the daemon did not die');
  }

  /** Has a command bring up another daemon, which must know the apps. */
  async succession() {
    await this.run('list');
    this.#daemon = this.daemonPid();
    return this.judge();
  }

  /** Removes the apps that were attacked. */
  async deleteOthers() {
    const names = new Set((await this.list()).map(({ name }) => name).filter((name) => !name.startsWith('canary-')));
    if (names.size > 0) await callOnce(this.socket, 'delete', { targets: [...names] }, commandTime);
  }

  /** Ends everything, in whatever state it is. */
  async dispose() {
    if (existsSync(this.home)) await this.run('kill').catch(() => {});
    for (const pid of this.#processes()) tryKill(pid);
    await until(() => this.#processes().length === 0, 'processes are left').catch(() => {});
    rmSync(this.home, { recursive: true, force: true });
  }

  #processes() {
    return readdirSync('/proc').filter(
      (name) => /^\d+$/.test(name) && Number(name) !== process.pid && this.#isOurs(name),
    );
  }

  #isOurs(pid) {
    try {
      const entries = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
      return entries.includes(`NSV_HOME=${this.home}`) && isAlive(pid);
    } catch {
      return false;
    }
  }

  /** No line of the daemon's log may tell of a death, or of a bug. */
  #readLog() {
    const text = readFileSync(this.at('daemon.log'), 'utf8');
    if (text.length < this.#seen) this.#seen = 0;
    const fresh = text.slice(this.#seen, text.lastIndexOf('\n') + 1);
    this.#seen += fresh.length;
    for (const line of fresh.split('\n').filter(Boolean)) {
      const { level, type, err } = JSON.parse(line);
      // It may give up on an app that cannot run.
      if ((level >= 60 && type !== 'giveup') || err) throw new Finding('the daemon logged a bug', line);
    }
  }

  #tail() {
    try {
      return readFileSync(this.at('daemon.log'), 'utf8').split('\n').slice(-6).join('\n');
    } catch {
      return '';
    }
  }
}

export function isAlive(pid) {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

function tryKill(pid) {
  try {
    process.kill(Number(pid), 'SIGKILL');
  } catch {
    // It is gone.
  }
}

export async function until(look, fact, ms = 10_000) {
  for (const end = Date.now() + ms; !(await look()); await new Promise((resolve) => setTimeout(resolve, 10)))
    if (Date.now() > end) throw new Finding(fact);
}
