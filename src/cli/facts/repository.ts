// Reads what is checked out of a Git repository, without Git: https://git-scm.com/docs/gitrepository-layout
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isDirectory, isFile } from '../../os/programs.ts';

export interface Revision {
  /** In full: 40 or 64 hexadecimal digits. */
  commit: string;
  /** Undefined if none is checked out. */
  branch: string | undefined;
}

/** Bytes of a file with branches. */
const mostBytes = 16 * 1_024 * 1_024;

/** Of the repository that this directory belongs to. Undefined if there is none, it has no commit, or keeps its branches otherwise. */
export function revisionIn(directory: string): Revision | undefined {
  const git = gitDirectoryOf(directory);
  const head = git && textOf(join(git, 'HEAD'));
  if (!head) return undefined;
  const [, ref] = /^ref: (refs\/.+)$/.exec(head) ?? [];
  // A worktree has only its own HEAD.
  const shared = resolve(git, textOf(join(git, 'commondir')) ?? '.');
  const commit = ref === undefined ? head : (textOf(join(shared, ref)) ?? packedIn(shared, ref));
  if (!commit || !/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(commit)) return undefined;
  return { commit, branch: ref?.replace('refs/heads/', '') };
}

/** `.git` is a directory, or in worktrees and submodules a file that leads there. */
function gitDirectoryOf(directory: string): string | undefined {
  const git = join(directory, '.git');
  if (isDirectory(git)) return git;
  const [, path] = /^gitdir: (.+)$/.exec(textOf(git) ?? '') ?? [];
  if (path !== undefined) return resolve(directory, path);
  const parent = dirname(directory);
  return parent === directory ? undefined : gitDirectoryOf(parent);
}

function packedIn(shared: string, ref: string): string | undefined {
  const lines = textOf(join(shared, 'packed-refs'))?.split('\n') ?? [];
  return lines.find((line) => line.endsWith(` ${ref}`))?.split(' ')[0];
}

/** Undefined if it is no file, or cannot be read. */
function textOf(file: string): string | undefined {
  try {
    return isFile(file) && statSync(file).size <= mostBytes ? readFileSync(file, 'utf8').trim() : undefined;
  } catch {
    return undefined;
  }
}
