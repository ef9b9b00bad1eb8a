// What a running daemon loads later has to be there, and of its own build, while a package manager replaces the package below it or
// somebody rebuilds a clone. So each daemon runs from a copy of what it may need: in the home, or in /run/nsv for root, as apps
// of other users have to read it too.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { allStats, commandOfProcess, hasProc, openFilesOf, whereabouts } from '../os/proc.ts';
import { usualUmask, withUmask } from '../os/umask.ts';
import { realClock } from '../shared/clock.ts';
import { type CopyRecord, readBuild, readCopyRecord } from '../shared/code/own-copy.ts';
import { type HomePaths, ownRoot } from '../shared/paths.ts';
import { build } from '../shared/version.ts';

/** The next boot empties it on Linux. */
const placeForRoot = process.platform === 'linux' ? '/run/nsv' : '/var/db/nsv';

/** Copies that are kept whether or not they are used. Each has two megabytes. */
const mostCopies = 5;

/**
 * The root of the programs for a daemon of this home, which has to be safe. It is the package itself if there can be no copy, as on a
 * full or read-only disk, and while the package is being replaced.
 */
export function copyForDaemon({ copies }: Pick<HomePaths, 'copies'>): string {
  if (build === '') return ownRoot;
  try {
    const place = process.geteuid?.() === 0 ? placeForRoot : copies;
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
 * The build, the time of the last change to a file, and the boot. People patch packages, and package managers set the time of
 * modification, so it is that of the inode. After a power cut, files that were written just before it may be empty.
 */
function nameOfCopy(): string {
  const { build: found, ofDaemon } = readBuild(ownRoot);
  const changed = Math.max(...ofDaemon.map((file) => statSync(join(ownRoot, file)).ctimeMs));
  return `nsv-${found}-${Math.trunc(changed).toString(16)}-${whereabouts().boot.slice(0, 8)}`;
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

/** Throws the system's error, or if the files would not be of one build. */
function makeCopy(copy: string): void {
  const draft = `${copy}.${process.pid}`;
  try {
    withUmask(usualUmask, () => writeCopy(draft));
    if (join(dirname(copy), nameOfCopy()) !== copy) throw new Error('the package is being replaced');
    putInPlace(draft, copy);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Another command may have been faster. A daemon may be about to load that copy, so it stays, unless it is damaged. */
function putInPlace(draft: string, copy: string): void {
  try {
    renameSync(draft, copy);
  } catch (error) {
    if (isWholeCopy(copy)) return;
    if (!existsSync(copy)) throw error;
    remove(copy);
    renameSync(draft, copy);
  }
}

function writeCopy(draft: string): void {
  const folder = dirname(draft);
  mkdirSync(folder, { recursive: true });
  if (!isOwn(folder)) throw new Error(`others can write to ${folder}`);
  const record: CopyRecord = { package: ownRoot, files: {} };
  for (const file of readBuild(ownRoot).ofDaemon) {
    const bytes = readFileSync(join(ownRoot, file));
    mkdirSync(join(draft, dirname(file)), { recursive: true });
    writeFileSync(join(draft, file), bytes);
    record.files[file] = bytes.length;
  }
  writeFileSync(join(draft, 'copy.json'), JSON.stringify(record));
}

/** In one step: a part of a copy is never at its place. */
function remove(copy: string): void {
  const aside = `${copy}.${process.pid}.old`;
  renameSync(copy, aside);
  rmSync(aside, { recursive: true, force: true });
}

/** Milliseconds in which a copy may be about to be used, or is being written. */
const fresh = 60_000;

/** Removes old copies that no process uses: its command names the copy, or it holds that open (`holdOwnCopy`). */
function removeUnused(place: string): void {
  // Nothing tells.
  if (!hasProc) return;
  const time = (name: string) => lstatSync(join(place, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const names = readdirSync(place).filter((name) => name.startsWith('nsv-'));
  const old = names.filter((name) => realClock.wall() - time(name) > fresh);
  for (const name of old.sort((one, other) => time(other) - time(one)).slice(mostCopies)) {
    const copy = join(place, name);
    const isUsed = allStats().some(
      ({ pid }) => commandOfProcess(pid).includes(copy) || openFilesOf(pid).includes(copy),
    );
    if (!isUsed) remove(copy);
  }
}

function tolerating(run: () => void): void {
  try {
    run();
  } catch {
    // It is done again for the next daemon.
  }
}
