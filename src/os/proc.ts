// Owns /proc: what the kernel knows about one process or all of them. Without /proc (macOS) nothing is known: a process
// has no start time and is signalled by its pid alone, and its tree is just itself.
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync, statSync } from 'node:fs';

/** Identifies a process: pids are reused, but not with the same start time. */
export interface Identity {
  readonly pid: number;
  /** Clock ticks since boot; undefined without /proc. */
  readonly startTime: number | undefined;
}

export interface Stat {
  pid: number;
  parent: number;
  session: number;
  /** Clock ticks since boot. Together with the pid it identifies a process for good. */
  startTime: number;
  /** Clock ticks used by the process and by those of its children that it has waited for. */
  cpuTicks: number;
  /** Pages of resident memory. */
  pages: number;
  /** False for a zombie, which can neither run nor be killed. */
  alive: boolean;
}

/** A stat line has at most about 1,100 bytes, and all fields read here are in the first 600. */
const buffer = Buffer.allocUnsafe(1024);

/** Whether /proc exists and shows the pid namespace of this process. Pids of another namespace would be misleading. */
export const hasProc = isOurProc();

function isOurProc(): boolean {
  try {
    return readlinkSync('/proc/self') === String(process.pid);
  } catch {
    return false;
  }
}

/** Returns undefined if the process does not exist or cannot be read. A zombie still counts as a process. */
export function readStat(pid: number): Stat | undefined {
  if (!hasProc) return undefined;
  const line = startOf(`/proc/${pid}/stat`);
  return line === '' ? undefined : parseStat(line);
}

/** The first kilobyte of a file; empty if it cannot be read. */
export function startOf(file: string): string {
  return readInto(buffer, file)?.toString('latin1') ?? '';
}

/** The beginning of a file, as much as fits. Undefined if it cannot be read. */
function readInto(bytes: Buffer, file: string): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(file, 'r');
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** The numbers of the threads of a process; empty if it is gone. */
export function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [];
  }
}

/** The state of each thread; empty if the process is gone. */
export function threadStates(pid: number): string[] {
  return threadsOf(pid).flatMap((thread) => stateIn(`/proc/${pid}/task/${thread}/stat`) ?? []);
}

/** The state of a process or a thread (R, S, T..., see proc_pid_stat(5)) in its file `stat`; undefined if it is gone. */
export function stateIn(stat: string): string | undefined {
  const line = startOf(stat);
  return line[line.lastIndexOf(')') + 2];
}

/** Start time of a process, in clock ticks since boot. */
export function startTimeOf(pid: number): number | undefined {
  return readStat(pid)?.startTime;
}

/** Whether the process found at a pid is the expected one. Without a known start time, a matching pid is enough. */
export function isSame(found: Stat, { startTime }: Pick<Identity, 'startTime'>): boolean {
  return startTime === undefined || startTime === found.startTime;
}

/** Whether the process is running. False for a zombie, and if the pid now belongs to another process. */
export function isSameProcess(who: Identity): boolean {
  const stat = readStat(who.pid);
  return stat?.alive === true && isSame(stat, who);
}

/** Returns all processes of the machine. */
export function allStats(): Stat[] {
  return otherStats(new Set()).stats;
}

/**
 * The pids of all processes, and the stats of those that are not in `seen` and were started at `since` (clock ticks since boot) or later.
 * Takes 1 µs for each pid, 15 µs for a process that is read, and 3 µs for one that an earlier call found too old. Synchronous, because
 * the thread pool takes three times as long and the processes would change while they are being read.
 */
export function otherStats(seen: ReadonlySet<number>, since = 0): { pids: Set<number>; stats: Stat[] } {
  if (!hasProc) return { pids: new Set(), stats: [] };
  const pids = readdirSync('/proc').flatMap((name) => (/^\d/.test(name) ? Number(name) : []));
  if (elders.size > pids.length) elders.clear();
  const others = pids.filter((pid) => !seen.has(pid) && !isElder(pid, since));
  return { pids: new Set(pids), stats: others.flatMap((pid) => readYoung(pid, since) ?? []) };
}

/**
 * Processes that were too old for an earlier call. On most machines that is nearly all of them, and calls repeat. The
 * kernel gives each process a new inode in /proc, so the same inode means the same process.
 */
const elders = new Map<number, { inode: number; startTime: number }>();

function isElder(pid: number, since: number): boolean {
  const elder = elders.get(pid);
  return elder !== undefined && elder.startTime < since && inodeOf(pid) === elder.inode;
}

function readYoung(pid: number, since: number): Stat | undefined {
  const stat = readStat(pid);
  if (!stat || stat.startTime >= since) return stat;
  const inode = inodeOf(pid);
  // Another process may have got the pid between the two reads. Then the inode is of neither or of the new one.
  if (inode !== undefined && startTimeOf(pid) === stat.startTime) elders.set(pid, { inode, startTime: stat.startTime });
  return undefined;
}

function inodeOf(pid: number): number | undefined {
  try {
    return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.ino;
  } catch {
    return undefined;
  }
}

/** Bytes that a program can be started with (execve(2)). A process can claim later that it was more: gigabytes. */
const largestEnvironment = 6 * 1024 * 1024;

/** The environment a process was started with, as NUL-terminated entries; undefined if it cannot be read. */
export function environmentOfProcess(pid: number): string | undefined {
  return hasProc ? beginningOf(`/proc/${pid}/environ`, largestEnvironment)?.toString() : undefined;
}

/** Bytes of a command line, which is only shown. */
const largestCommand = 4 * 1024;

/** The beginning of a process's command line, for people; empty if it cannot be read. */
export function commandOfProcess(pid: number): string {
  const bytes = hasProc ? beginningOf(`/proc/${pid}/cmdline`, largestCommand) : undefined;
  return bytes?.toString().replaceAll('\0', ' ').trim() ?? '';
}

/** Paths, with ` (deleted)` behind those of removed files. Empty for processes of other users, and for those that have just ended. */
export function openFilesOf(pid: number): string[] {
  const directory = `/proc/${pid}/fd`;
  try {
    return readdirSync(directory).flatMap((name) => targetOf(`${directory}/${name}`) || []);
  } catch {
    return [];
  }
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}

/** The program that a process executes; empty if that cannot be told. */
export function executableOf(pid: number): string {
  return targetOf(`/proc/${pid}/exe`);
}

/** Bytes of an environment in which a variable is searched. Any user can start programs with megabytes, in any number. */
const searched = Buffer.allocUnsafeSlow(256 * 1024);

/** At most so many bytes of a file, which may have no end. Undefined if it cannot be read. */
export function beginningOf(file: string, most: number): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(file, 'r');
    const parts: Buffer[] = [];
    for (let left = most; left > 0; ) {
      const length = readSync(fd, searched, 0, Math.min(searched.length, left), null);
      if (length === 0) break;
      parts.push(Buffer.from(searched.subarray(0, length)));
      left -= length;
    }
    return Buffer.concat(parts);
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** One variable of that environment; undefined if there is none. A copy: a part of a long text keeps all of it alive. */
export function variableOfProcess(pid: number, name: string): string | undefined {
  const bytes = hasProc ? readInto(searched, `/proc/${pid}/environ`) : undefined;
  if (!bytes) return undefined;
  const key = Buffer.from(`${name}=`);
  const isFirst = bytes.subarray(0, key.length).equals(key);
  const at = isFirst ? 0 : bytes.indexOf(`\0${name}=`) + 1;
  const end = bytes.indexOf(0, at);
  return (at > 0 || isFirst) && end > 0 ? bytes.toString('utf8', at + key.length, end) : undefined;
}

/** Whether a process runs as this user and nothing else: real, effective, saved and file system user are the same. */
export function runsAs(pid: number, uid: number): boolean {
  const [, ids = ''] = /^Uid:\s*(.+)$/m.exec(fileText(`/proc/${pid}/status`)) ?? [];
  const users = ids.split('\t').map(Number);
  return users.length === 4 && users.every((user) => user === uid);
}

/**
 * Identifies this boot of the system and this pid namespace; empty strings without /proc. The kernel reuses the number
 * of a pid namespace that is gone, for example when a container restarts, so the start time of process 1 is added.
 */
export function whereabouts(): { boot: string; pids: string } {
  if (!hasProc) return { boot: '', pids: '' };
  const boot = fileText('/proc/sys/kernel/random/boot_id').trim();
  return { boot, pids: `${readlinkSync('/proc/self/ns/pid')} ${startTimeOf(1) ?? ''}` };
}

/** The content of a file; empty if it cannot be read. */
export function fileText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Parses a line of /proc/<pid>/stat, proc_pid_stat(5). Fields after the name are counted from 3. */
export function parseStat(line: string): Stat {
  // Programs choose their own name, and "a) R 1 (b" is a valid one: only the last parenthesis is the kernel's.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ', 22);
  const field = (number: number) => Number(fields[number - 3]);
  const state = fields[0];
  const threads = field(20);
  return {
    pid: Number.parseInt(line, 10),
    parent: field(4),
    session: field(6),
    startTime: field(22),
    cpuTicks: field(14) + field(15) + field(16) + field(17),
    pages: field(24),
    // If only the main thread has ended, the kernel shows a zombie although other threads are still running.
    alive: (state !== 'Z' && state !== 'X') || threads > 1,
  };
}

/** Seconds since boot, on the same scale as start times; undefined without /proc. */
export function uptime(): number | undefined {
  return hasProc ? Number.parseFloat(readFileSync('/proc/uptime', 'latin1')) : undefined;
}

/** Units in which the kernel reports. */
export interface Units {
  /** Bytes per page: 4096, but 16384 or 65536 on some arm64 and ppc64 kernels. */
  pageSize: number;
  /** Clock ticks per second. */
  ticks: number;
}

/** Bytes: 20 to 30 pairs of words on most kernels. */
const largestAuxv = 4 * 1024;
let known: Units | undefined;

/** Reads the auxiliary vector, as getpagesize(3) and sysconf(3) do, so there is no need to run `getconf`. */
export function units(): Units {
  known ??= parseAuxv(beginningOf('/proc/self/auxv', largestAuxv) ?? Buffer.alloc(0));
  return known;
}

/** Parses pairs of machine words (key, value). Missing keys get the usual values. */
export function parseAuxv(bytes: Buffer): Units {
  const words = new BigUint64Array(new Uint8Array(bytes).buffer, 0, Math.floor(bytes.length / 8));
  const value = (key: bigint) => {
    const at = words.findIndex((word, index) => index % 2 === 0 && word === key);
    return at < 0 ? undefined : Number(words[at + 1]);
  };
  return { pageSize: value(6n) ?? 4096, ticks: value(17n) ?? 100 };
}
