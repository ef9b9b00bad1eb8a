// Finds the nsv home after it was renamed while there was no daemon. The kernel knows the new path of what a process has
// open, and by default its log or its FIFO lies in a folder of the home.
import { readlinkSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * The address in the home as it is called now; the old one if it cannot be found. `mark` names the directory of the home by
 * device and inode: nobody else can have that.
 */
export function currentAddress(address: string, mark: string): string {
  // That of a broker does not lie in the home.
  if (basename(address) !== 'workers.sock') return address;
  if (isHome(dirname(address), mark)) return address;
  for (const fd of [1, 2]) {
    const home = homeAround(fd);
    if (home !== undefined && isHome(home, mark)) return join(home, basename(address));
  }
  return address;
}

function homeAround(fd: number): string | undefined {
  try {
    return dirname(dirname(readlinkSync(`/proc/self/fd/${fd}`)));
  } catch {
    return undefined;
  }
}

function isHome(directory: string, mark: string): boolean {
  try {
    const { dev, ino } = statSync(directory);
    return mark.split(':')[1] === `${dev}-${ino}`;
  } catch {
    return false;
  }
}
