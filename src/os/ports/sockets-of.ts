// The sockets that a process has open.
import { readdirSync, readlinkSync } from 'node:fs';

/** Their inodes. None if the process is gone, or belongs to somebody whose files may not be seen. */
export function socketsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => inodeOf(`/proc/${pid}/fd/${fd}`) ?? []);
  } catch {
    return [];
  }
}

function inodeOf(link: string): number | undefined {
  try {
    const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(link))?.[1];
    return inode === undefined ? undefined : Number(inode);
  } catch {
    return undefined;
  }
}
