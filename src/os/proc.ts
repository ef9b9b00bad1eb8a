// Owns /proc: what the kernel says of one process or of all. Where there is none (macOS) nothing is known, and
// callers make do: a process without a start time is signalled by its pid alone, and its tree is only itself.
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync, statSync } from 'node:fs';

export interface Stat {
  pid: number;
  parent: number;
  session: number;
  /** Clock ticks since boot; with the pid it names a process for ever. */
  startTime: number;
  /** Clock ticks used by the process, and by its children that ended and were waited for. */
  cpuTicks: number;
  /** Pages of resident memory. */
  pages: number;
  /** False for a zombie: it can neither run nor be killed. */
  alive: boolean;
}

/** A stat line has at most some 1,100 bytes; all that is read here lies in the first 600. */
const buffer = Buffer.allocUnsafe(1024);

/** Whether /proc is there and numbers processes as `process.pid` does: one of another pid namespace would mislead. */
export const hasProc = isOurProc();

function isOurProc(): boolean {
  try {
    return readlinkSync('/proc/self') === String(process.pid);
  } catch {
    return false;
  }
}

/** Undefined when there is no such process, or nothing may be known of it. A zombie is still a process. */
export function readStat(pid: number): Stat | undefined {
  if (!hasProc) return undefined;
  let fd: number | undefined;
  try {
    fd = openSync(`/proc/${pid}/stat`, 'r');
    return parseStat(buffer.toString('latin1', 0, readSync(fd, buffer, 0, buffer.length, 0)));
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** The state of each thread, as proc_pid_stat(5) writes it: R, S, T...; none when the process is gone. */
export function threadStates(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) => stateOf(`/proc/${pid}/task/${thread}/stat`) ?? []);
  } catch {
    return [];
  }
}

function stateOf(file: string): string | undefined {
  try {
    const line = readFileSync(file, 'latin1');
    return line[line.lastIndexOf(')') + 2];
  } catch {
    return undefined;
  }
}

/** Clock ticks since boot at which the process began. */
export function startTimeOf(pid: number): number | undefined {
  return readStat(pid)?.startTime;
}

/** Whether the process found at a pid is the one that is meant; what has no known start time is taken at its word. */
export function isSame(found: Stat, { startTime }: { readonly startTime: number | undefined }): boolean {
  return startTime === undefined || startTime === found.startTime;
}

/** Whether it runs: a zombie does not, nor does another process that has its pid by now. */
export function isSameProcess(who: { readonly pid: number; readonly startTime: number | undefined }): boolean {
  const stat = readStat(who.pid);
  return stat?.alive === true && isSame(stat, who);
}

/**
 * Every process of the machine, or those that began at `since` (clock ticks since boot) or later. About 12 us each, and
 * 3 us for one that was found too old before. Synchronous: the thread pool takes three times as long, and a picture
 * taken while others run is one that never was.
 */
export function allStats(since = 0): Stat[] {
  if (!hasProc) return [];
  const pids = readdirSync('/proc').flatMap((name) => (/^\d/.test(name) ? Number(name) : []));
  if (elders.size > pids.length) elders.clear();
  return pids.flatMap((pid) => (isElder(pid, since) ? [] : (readYoung(pid, since) ?? [])));
}

/**
 * Processes that were older than somebody asked for. On most machines that is nearly all of them, and who asks once asks
 * again. The kernel gives each process another inode in /proc, so the same number means the same process.
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
  // The pid may have gone to another process between the two looks; then the inode is of neither or of the other one.
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

/** The environment with which a process was started, entries ended by NUL; undefined when it may not be read. */
export function environmentOfProcess(pid: number): string | undefined {
  return hasProc ? textOf(`/proc/${pid}/environ`) : undefined;
}

/** The files that are the standard output and standard error of a process; /dev/null for what may not be known. */
export function outputOf(pid: number): [out: string, error: string] {
  const fileOf = (fd: number) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return '/dev/null';
    }
  };
  return [fileOf(1), fileOf(2)];
}

/**
 * Names this boot of this system, and the numbering of its processes; empty texts where there is no /proc. The kernel gives the
 * number of a pid namespace that is gone to the next one, but its process 1 is another: so it is when a container starts again.
 */
export function whereabouts(): { boot: string; pids: string } {
  if (!hasProc) return { boot: '', pids: '' };
  const boot = textOf('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
  return { boot, pids: `${readlinkSync('/proc/self/ns/pid')} ${startTimeOf(1) ?? ''}` };
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Reads one line of /proc/<pid>/stat, proc_pid_stat(5). Fields are counted from 3, behind the name. */
export function parseStat(line: string): Stat {
  // The name is whatever the program says it is, "a) R 1 (b" included: only the last parenthesis is the kernel's.
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
    // When only the first thread has ended, the process is shown as a zombie while it lives on in the others.
    alive: (state !== 'Z' && state !== 'X') || threads > 1,
  };
}

/** Seconds since boot, on the same scale as start times; undefined where there is no /proc. */
export function uptime(): number | undefined {
  return hasProc ? Number.parseFloat(readFileSync('/proc/uptime', 'latin1')) : undefined;
}

/** Units of the kernel's figures. */
export interface Units {
  /** Bytes of a page: 4096, but 16384 or 65536 on some arm64 and ppc64 kernels. */
  pageSize: number;
  /** Clock ticks of a second. */
  ticks: number;
}

let known: Units | undefined;

/** From the auxiliary vector, where the kernel leaves them for getpagesize(3) and sysconf(3): no `getconf` to run. */
export function units(): Units {
  known ??= parseAuxv(readAuxv());
  return known;
}

function readAuxv(): Buffer {
  try {
    return readFileSync('/proc/self/auxv');
  } catch {
    return Buffer.alloc(0);
  }
}

/** Pairs of machine words, key and value; what is missing gets the usual value. */
export function parseAuxv(bytes: Buffer): Units {
  const words = new BigUint64Array(new Uint8Array(bytes).buffer, 0, Math.floor(bytes.length / 8));
  const value = (key: bigint) => {
    const at = words.findIndex((word, index) => index % 2 === 0 && word === key);
    return at < 0 ? undefined : Number(words[at + 1]);
  };
  return { pageSize: value(6n) ?? 4096, ticks: value(17n) ?? 100 };
}
