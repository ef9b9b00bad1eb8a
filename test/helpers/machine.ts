// A machine that boots systemd: process 1 of namespaces of its own, with a root file system and cgroups of its own. Needs root.
import { type ChildProcess, spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { eventually } from './eventually.ts';
import { fieldsOfStat, isAlive, type Ran, root } from './nsv.ts';
import { finish } from './program.ts';

/** A user of the machine. */
export interface MachineUser {
  name: string;
  /** Also the id of its group. */
  uid: number;
  /** On the machine. */
  directory: string;
}

/** The machine shares the network with the test. */
const namespaces = ['--mount', '--pid', '--uts', '--ipc', '--cgroup'];

const hostUnits = '/lib/systemd/system';
/** What `systemctl poweroff` needs of the host's units. */
const neededUnits = ['poweroff.target', 'systemd-poweroff.service', 'shutdown.target', 'umount.target', 'final.target'];
const emptyTargets = ['sysinit', 'basic', 'network', 'network-online', 'sockets'];

/** The reason to skip, printed; undefined where machines can boot. */
export async function whyNoMachine(): Promise<string | undefined> {
  const reason = await problem();
  if (reason !== undefined) console.warn(`skipped: ${reason}`);
  return reason;
}

async function problem(): Promise<string | undefined> {
  if (process.geteuid?.() !== 0) return 'only root can boot a systemd';
  if (!existsSync('/lib/systemd/systemd') || !neededUnits.every((name) => existsSync(join(hostUnits, name))))
    return 'systemd is not installed';
  if (cgroups() === undefined) return 'no cgroup2 is mounted';
  const { code, error, stderr } = await finish('unshare', [...namespaces, '--fork', 'true']);
  return code === 0 ? undefined : `no namespaces: ${error?.message ?? stderr.trim()}`;
}

/** Where the cgroups of version 2 are: proc_pid_mountinfo(5). */
function cgroups(): string | undefined {
  const line = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .find((text) => text.includes(' - cgroup2 '));
  return line?.split(' ')[4];
}

export class Machine {
  readonly #directory = mkdtempSync(join(tmpdir(), 'nsv-machine-'));
  readonly #cgroup = join(cgroups()!, basename(this.#directory));
  #first: ChildProcess | undefined;
  /** The pid of systemd, as the test sees it. */
  #init = 0;
  #said = '';

  /** The package on the machine. */
  readonly nsv = '/opt/nsv/dist/cli/main.js';

  constructor() {
    mkdirSync(this.#cgroup);
    this.#makeFiles();
  }

  /** Where the test finds a file of the machine. */
  at(...path: string[]): string {
    return join(this.#directory, 'root', ...path);
  }

  /** Makes an account, unless it is that of root. */
  user(name: string): MachineUser {
    const uid = name === 'root' ? 0 : 1_000;
    const directory = uid === 0 ? '/root' : join('/home', name);
    mkdirSync(this.at(directory), { recursive: true });
    chownSync(this.at(directory), uid, uid);
    appendFileSync(this.at('/etc/passwd'), `${name}:x:${uid}:${uid}::${directory}:/bin/sh\n`);
    appendFileSync(this.at('/etc/group'), `${name}:x:${uid}:\n`);
    return { name, uid, directory };
  }

  /** Resolves when systemd takes commands. */
  async boot(): Promise<void> {
    // The first process dies with the test, the second one with the first, and then the kernel ends all others.
    const enter = 'echo $$ >"$0/cgroup.procs" && exec "$@"';
    const unshare = ['unshare', ...namespaces, '--fork', '--kill-child'];
    const script = join(root, 'test', 'fixtures', 'boot', 'systemd.sh');
    const words = [
      'sh',
      '-c',
      enter,
      this.#cgroup,
      ...unshare,
      'sh',
      script,
      this.at(),
      root,
      dirname(process.execPath),
    ];
    this.#said = '';
    this.#first = spawn('setpriv', ['--pdeathsig', 'KILL', ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH },
    });
    for (const stream of [this.#first.stdout!, this.#first.stderr!])
      stream.setEncoding('utf8').on('data', (text) => (this.#said += text));
    this.#init = await eventually(() => this.#expectRunning() && childOf(this.#first!.pid!));
    // Until then the commands would run in the file system of the host.
    await eventually(() => this.#expectRunning() && !existsSync(`/proc/${this.#init}/root${this.#directory}`));
    await eventually(async () => this.#expectRunning() && (await this.systemctl('show', '-p', 'Version')).code === 0);
  }

  /** Runs a program on the machine, by default as root and with none of the test's environment. */
  run(
    words: readonly string[],
    { user, env = {} }: { user?: MachineUser; env?: NodeJS.ProcessEnv } = {},
  ): Promise<Ran> {
    const drop = user && user.uid !== 0 ? ['setpriv', '--reuid', user.name, '--regid', user.name, '--init-groups'] : [];
    const command = ['--target', String(this.#init), ...namespaces, '--root', '--wd=/', '--', ...drop, ...words];
    const child = spawn('nsenter', command, {
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: '/',
      env: { PATH: process.env.PATH, HOME: user?.directory ?? '/root', ...env },
    });
    const ran: Ran = { code: null, signal: null, stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text) => (ran.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (ran.stderr += text));
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => resolve({ ...ran, code, signal }));
    });
  }

  systemctl(...words: string[]): Promise<Ran> {
    return this.run(['systemctl', ...words]);
  }

  /** A property of a unit, such as `MainPID`. */
  async show(unit: string, property: string): Promise<string> {
    return (await this.systemctl('show', unit, '--value', '-p', property)).stdout.trim();
  }

  /** The processes in the cgroup of a unit, by their pids outside. */
  processesOf(unit: string): number[] {
    return procsIn(join(this.#cgroup, 'system.slice', unit));
  }

  /** Shuts the machine down as the command `poweroff` does; resolves when it is off. */
  async powerOff(): Promise<void> {
    await this.systemctl('poweroff');
    await eventually(() => !isAlive(this.#init));
    await this.#pullThePlug();
  }

  /** Ends everything, whatever state it is in; returns the cgroups, mounts and files that are left. */
  async dispose(): Promise<string[]> {
    await this.#pullThePlug();
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
    const left = mounts.filter((line) => line.includes(this.#directory));
    if (left.length === 0) rmSync(this.#directory, { recursive: true, force: true });
    removeTree(this.#cgroup);
    return [...left, ...[this.#directory, this.#cgroup].filter((path) => existsSync(path))];
  }

  #makeFiles(): void {
    for (const directory of ['etc/systemd/system', 'units', 'home', 'root'])
      mkdirSync(this.at(directory), { recursive: true });
    for (const name of neededUnits) cpSync(join(hostUnits, name), this.at('units', name));
    for (const name of emptyTargets)
      writeFileSync(this.at('units', `${name}.target`), '[Unit]\nDefaultDependencies=no\n');
    writeFileSync(this.at('units', 'multi-user.target'), '[Unit]\nAllowIsolate=yes\n');
    symlinkSync('multi-user.target', this.at('units', 'default.target'));
    writeFileSync(this.at('etc/machine-id'), `${'0123456789abcdef'.repeat(2)}\n`);
    writeFileSync(this.at('etc/passwd'), '');
    writeFileSync(this.at('etc/group'), '');
    for (const name of ['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'os-release'])
      if (existsSync(join('/etc', name)))
        cpSync(join('/etc', name), this.at('etc', name), { recursive: true, dereference: true });
    chmodSync(this.#directory, 0o755);
  }

  #expectRunning(): true {
    const { exitCode, signalCode } = this.#first!;
    if (exitCode === null && signalCode === null) return true;
    throw new Error(`the machine is off: ${signalCode ?? `exit code ${exitCode}`}\n${this.#said}`);
  }

  async #pullThePlug(): Promise<void> {
    const first = this.#first;
    if (!first) return;
    first.kill('SIGKILL');
    await eventually(() => first.exitCode !== null || first.signalCode !== null);
    // The kernel takes a moment to end all processes of a namespace.
    await eventually(() => processesBelow(this.#cgroup).length === 0);
    this.#first = undefined;
  }
}

function childOf(parent: number): number | undefined {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => fieldsOfStat(pid)[1] === String(parent));
}

function procsIn(cgroup: string): number[] {
  const file = join(cgroup, 'cgroup.procs');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean).map(Number) : [];
}

function below(cgroup: string): string[] {
  const entries = readdirSync(cgroup, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(cgroup, name));
}

function processesBelow(cgroup: string): number[] {
  return [...procsIn(cgroup), ...below(cgroup).flatMap(processesBelow)];
}

function removeTree(cgroup: string): void {
  for (const inner of below(cgroup)) removeTree(inner);
  rmdirSync(cgroup);
}
