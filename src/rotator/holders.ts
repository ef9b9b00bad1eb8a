// Finds the processes that have a file open for writing, in /proc by device and inode.
import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { readStat, threadStates } from '../os/proc.ts';
import { errnoOf } from '../shared/errno.ts';

export interface FileHolder {
  pid: number;
  startTime: number;
}

export interface Search {
  /** The identity of the file. */
  inode: Pick<Stats, 'dev' | 'ino'>;
  /** Managed processes that write to it; each leads a session. */
  writers: readonly number[];
  /** Processes that may have the file open but never write to it: the daemon, which opens it for others. */
  spared: readonly number[];
}

/**
 * Returns a function that finds the processes that can write to the file now. The first call checks every process,
 * which takes about 10 us per open descriptor of the machine, and nothing is stopped meanwhile. Later calls check only
 * the writers that did not have it open, and new processes: a stopped process cannot fork, and only nsv opens the log
 * of an app. A process whose descriptors are not readable (of another user, or with file capabilities) counts as a
 * holder if it is in the session of a writer.
 */
export function searchHolders({ inode, writers, spared }: Search): () => FileHolder[] {
  const seen = new Set<number>([process.pid, ...spared]);
  const found = new Set<number>();
  return () => {
    const pids = readdirSync('/proc').flatMap((name) => (/^\d/.test(name) ? Number(name) : []));
    const candidates = pids.filter((pid) => !seen.has(pid) || (writers.includes(pid) && !found.has(pid)));
    for (const pid of candidates) seen.add(pid);
    return candidates.flatMap((pid) => {
      const stat = mayWrite(pid, inode, writers) ? readStat(pid) : undefined;
      if (!stat?.alive) return [];
      found.add(pid);
      return [{ pid, startTime: stat.startTime }];
    });
  };
}

function mayWrite(pid: number, inode: Search['inode'], writers: readonly number[]): boolean {
  const directory = `/proc/${pid}/fd`;
  try {
    return readdirSync(directory).some((fd) => isWritable(`${directory}/${fd}`, inode));
  } catch (error) {
    return errnoOf(error) === 'EACCES' && writers.includes(readStat(pid)?.session ?? 0);
  }
}

/** The permissions of the link show how the descriptor was opened: proc_pid_fd(5). */
function isWritable(link: string, { dev, ino }: Search['inode']): boolean {
  const found = statSync(link, { throwIfNoEntry: false });
  if (found?.ino !== ino || found.dev !== dev) return false;
  return ((lstatSync(link, { throwIfNoEntry: false })?.mode ?? 0) & 0o200) !== 0;
}

/** Whether no thread of the process can run before SIGCONT; also true for a process that is gone. */
export function isPaused(pid: number): boolean {
  return threadStates(pid).every((state) => 'TZX'.includes(state));
}
