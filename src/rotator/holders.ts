// Who can write to a file: every process that has it open for writing, found in /proc by device and inode.
import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { readStat, threadStates } from '../daemon/proc.ts';
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
 * All who can write to the file now. Whose descriptors may not be seen (another user, a program with file capabilities) is
 * taken for one when it belongs to the session of a writer. A look costs some 3 us for each descriptor of the machine.
 */
export function holdersOf({ inode, writers, spared }: Search): Holder[] {
  const pids = readdirSync('/proc').flatMap((name) => (/^\d/.test(name) ? Number(name) : []));
  return pids
    .filter((pid) => pid !== process.pid && !spared.includes(pid))
    .filter((pid) => mayWrite(pid, inode, writers))
    .flatMap((pid) => {
      const stat = readStat(pid);
      return stat?.alive ? [{ pid, startTime: stat.startTime }] : [];
    });
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
export function standsStill(pid: number): boolean {
  return threadStates(pid).every((state) => 'TZX'.includes(state));
}
