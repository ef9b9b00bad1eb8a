// Finds daemons whose home was deleted under them. No command reaches them, and they hold their home open.
import { readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { allStats } from '../os/proc.ts';
import type { HomePaths } from '../shared/paths.ts';

/** Pids of the processes that hold a deleted directory open that lay at the path of this home. */
export function findFormer(paths: HomePaths): number[] {
  const deleted = `${realPathOf(paths.home)} (deleted)`;
  return allStats()
    .filter(({ pid, alive }) => alive && linksOf(`/proc/${pid}/fd`).includes(deleted))
    .map(({ pid }) => pid);
}

/** Without symbolic links on the way, as the kernel reports it. The directory itself may be gone. */
function realPathOf(home: string): string {
  try {
    return join(realpathSync(dirname(home)), basename(home));
  } catch {
    return home;
  }
}

/** Empty for processes of other users, and for those that have just ended. */
function linksOf(directory: string): string[] {
  try {
    return readdirSync(directory).flatMap((name) => linkOf(join(directory, name)));
  } catch {
    return [];
  }
}

function linkOf(file: string): string[] {
  try {
    return [readlinkSync(file)];
  } catch {
    return [];
  }
}
