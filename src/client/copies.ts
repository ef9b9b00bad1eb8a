// What a running daemon loads later has to be there, and of its own build: a package manager replaces the package below it, and so does
// whoever builds a clone again. So each daemon runs from a copy of what it may need: in the home, or in /run/nsv for root, as apps
// of other users have to read it too.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type HomePaths, ownRoot } from '../paths.ts';
import { build } from '../version.ts';
import { type CopyRecord, readBuild, readCopyRecord } from './own-copy.ts';

/** Copies that are kept whether or not they are used. Each has two megabytes. */
const mostCopies = 5;

/** How many descriptors of a process are looked at: the one that shows that it runs from a copy is among the first that it opens. */
const mostDescriptors = 64;

/**
 * The root of the programs for a daemon of this home, which has to be safe. It is the package itself if there can be no copy, as on a
 * full or read-only disk, and while the package is being replaced.
 */
export function copyForDaemon({ copies }: Pick<HomePaths, 'copies'>): string {
  if (build === '') return ownRoot;
  try {
    const place = process.geteuid?.() === 0 ? `${process.platform === 'linux' ? '' : '/var'}/run/nsv` : copies;
    const copy = join(place, nameOfCopy());
    if (!isWholeCopy(copy)) {
      makeCopy(copy);
      tolerating(() => removeUnused(place));
    }
    const now = new Date();
    tolerating(() => utimesSync(copy, now, now));
    return copy;
  } catch {
    return ownRoot;
  }
}

/**
 * By the build, and by when a file was last changed, as people patch packages: its inode, since package managers give files a time of
 * their own. And by the boot: a power cut may leave files empty that were written just before.
 */
function nameOfCopy(): string {
  const { build: found, ofDaemon } = readBuild(ownRoot);
  const changed = Math.max(...ofDaemon.map((file) => statSync(join(ownRoot, file)).ctimeMs));
  const boot = textOf('/proc/sys/kernel/random/boot_id').slice(0, 8);
  return `nsv-${found}-${Math.trunc(changed).toString(16)}-${boot}`;
}

/** Whether this is the root of a copy that nobody else could change, and that has all its files. */
export function isWholeCopy(root: string): boolean {
  try {
    const files = Object.entries(readCopyRecord(root).files);
    const isOwnCopy = [root, dirname(root)].every(isOwn);
    return isOwnCopy && files.every(([file, size]) => statSync(join(root, file)).size === size);
  } catch {
    return false;
  }
}

function isOwn(folder: string): boolean {
  const stats = lstatSync(folder);
  return stats.isDirectory() && stats.uid === process.geteuid?.() && !(stats.mode & 0o022);
}

/** Throws the system's error, or if it would not be of one build. */
function makeCopy(copy: string): void {
  const draft = `${copy}.${process.pid}`;
  const outer = process.umask(0o022);
  try {
    mkdirSync(dirname(copy), { recursive: true });
    if (!isOwn(dirname(copy))) throw new Error(`others can write to ${dirname(copy)}`);
    const record: CopyRecord = { package: ownRoot, files: {} };
    for (const file of readBuild(ownRoot).ofDaemon) {
      const bytes = readFileSync(join(ownRoot, file));
      mkdirSync(join(draft, dirname(file)), { recursive: true });
      writeFileSync(join(draft, file), bytes);
      record.files[file] = bytes.length;
    }
    writeFileSync(join(draft, 'copy.json'), JSON.stringify(record));
    if (join(dirname(copy), nameOfCopy()) !== copy) throw new Error('the package is being replaced');
    if (existsSync(copy)) remove(copy);
    renameSync(draft, copy);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another command may have been faster.
    if (!isWholeCopy(copy)) throw error;
  } finally {
    process.umask(outer);
  }
}

/** So that there is never a part of a copy at its place. */
function remove(copy: string): void {
  const aside = `${copy}.${process.pid}.old`;
  renameSync(copy, aside);
  rmSync(aside, { recursive: true, force: true });
}

/** Removes old copies that no process uses. Without /proc, nothing tells. */
function removeUnused(place: string): void {
  const age = (name: string) => lstatSync(join(place, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const names = readdirSync(place).filter((name) => name.startsWith('nsv-'));
  const old = names.sort((one, other) => age(other) - age(one)).slice(mostCopies);
  if (old.length === 0) return;
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const uses = processes.flatMap((pid) => [textOf(`/proc/${pid}/cmdline`), ...openIn(pid)]);
  for (const name of old) if (!uses.some((use) => use.includes(name))) remove(join(place, name));
}

function openIn(pid: string): string[] {
  const folder = `/proc/${pid}/fd`;
  try {
    const descriptors = readdirSync(folder).slice(0, mostDescriptors);
    return descriptors.map((fd) => readlinkSync(join(folder, fd)));
  } catch {
    // It has ended, or belongs to another user.
    return [];
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

function tolerating(run: () => void): void {
  try {
    run();
  } catch {
    // It is done again for the next daemon.
  }
}
