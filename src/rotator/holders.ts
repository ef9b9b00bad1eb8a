// Who can write to a file: every process that has it open for writing, found in /proc by device and inode.
import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { readStat, threadStates } from '../os/proc.ts';
import { errnoOf } from '../shared/errno.ts';

export interface Holder {
  pid: number;
  startTime: number;
}

export interface Search {
  /** The file. */
  inode: Pick<Stats, 'dev' | 'ino'>;
  /** Processes of the daemon's that write to it; each leads a session. */
  writers: readonly number[];
  /** Processes that may hold the file and never write to it: the daemon, who opens it for others. */
  spared: readonly number[];
}

/**
 * Returns a function that finds who can write to the file now. The first look is at every process, some 10 us for each
 * descriptor of the machine, and nobody stands still for it; the further ones only at writers that did not hold it, and at
 * processes that have come since: who stands cannot fork, and nobody but nsv opens the log of an app. Whose descriptors may
 * not be seen (another user's, those of a program with file capabilities) is taken for a holder when it is in the session of
 * a writer.
 */
export function searchHolders({ inode, writers, spared }: Search): () => Holder[] {
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

/** The permissions of the link are the ways in which the descriptor was opened: proc_pid_fd(5). */
function isWritable(link: string, { dev, ino }: Search['inode']): boolean {
  const found = statSync(link, { throwIfNoEntry: false });
  if (found?.ino !== ino || found.dev !== dev) return false;
  return ((lstatSync(link, { throwIfNoEntry: false })?.mode ?? 0) & 0o200) !== 0;
}

/** Whether no thread of the process can run before it is continued; true of one that is gone as well. */
export function isStopped(pid: number): boolean {
  return threadStates(pid).every((state) => 'TZX'.includes(state));
}
