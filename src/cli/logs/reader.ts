// Reads one log as an endless row of lines, whatever happens to its file. It may grow, be emptied, be deleted, come later; be
// rotated by a copy to another name after which it is emptied (nsv, `copytruncate`), or by a new file under its name
// (logrotate). What stood in it between the last look and the rotation is read from the copy, or from the old file, which
// stays open.
import { fstatSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Beginning, beginningOfNew, type Past, type Piece, startOfLog } from './beginning.ts';
import { blockSize, blocksOf } from './blocks.ts';
import { identityOfInode, LiveFile } from './live-file.ts';
import { identityOf, newerThan, olderFiles } from './older-files.ts';
import { holdsBefore, isCopyInProgress } from './rotated.ts';
import { LineSplitter } from './splitter.ts';

/** Files that are kept open after others have taken their places. */
const mostRetired = 3;

/** A file that another one has taken the place of. Who writes it may do so for a while: it has to be told to change. */
interface Retired {
  live: LiveFile;
  splitter: LineSplitter;
  /** How far it was read at the last look. */
  position: number;
}

export class LogReader {
  readonly #file: string;
  #live: LiveFile | undefined;
  /** Whether the live file had been renamed already when it was opened. */
  #isOld = false;
  #splitter = new LineSplitter();
  #retired: Retired[] = [];
  /** Rotated files that come before the live one, oldest first, and the first of them as far as it is read. */
  #pieces: Piece[] = [];
  #blocks: AsyncGenerator<Buffer> | undefined;
  /** Lines that ended because nothing more can come. */
  #ended: Buffer[] = [];
  /** Identities of the rotated files that were there before, or have been read. */
  #known = new Set<string>();
  /** When the directory was changed last: there is no new rotated file unless this is new. */
  #directoryChangedAt: number | undefined;
  /** Where to stop, so that a look ends though the app writes faster than we read. */
  #goal = 0;

  constructor(file: string) {
    this.#file = file;
    this.#live = LiveFile.open(file);
  }

  /** Goes to where the past that is wanted begins; false where it is wanted by time, and no line carries one. */
  async begin(past: Past): Promise<boolean> {
    const { older, from, isTimed } = await this.#beginning((log) => startOfLog(log, past));
    this.#pieces = older;
    this.#live?.moveTo(from);
    return isTimed;
  }

  /** The same for what was begun after a moment, in milliseconds since 1970: all of it. False when the file is older. */
  async beginNew(moment: number): Promise<boolean> {
    const born = this.#live ? fstatSync(this.#live.fd).birthtimeMs : Number.POSITIVE_INFINITY;
    if (born < moment) return false;
    this.#pieces = (await this.#beginning(async (log) => beginningOfNew(log, moment))).older;
    return true;
  }

  /** Lets `next` give what is there now. */
  look(): void {
    this.#goal = this.#live?.size ?? 0;
    for (const each of this.#retired) {
      // Nobody has gone on with the line that was begun.
      if (each.position === each.live.position) this.#ended.push(...each.splitter.end());
      each.position = each.live.position;
    }
  }

  /** The next lines, perhaps none; undefined when there is no more until the next look. */
  async next(): Promise<Buffer[] | undefined> {
    for (;;) {
      if (this.#ended.length > 0) return this.#ended.splice(0);
      const older = await this.#ofPieces();
      if (older) return this.#splitter.split(older);
      const place = this.#place();
      if (place === 'same' && this.#isRotated()) continue;
      const bytes = this.#live?.read(place === 'other' ? blockSize : Math.min(blockSize, this.#ahead()));
      // Read later, shown earlier: what is in the live file was written after its writer had left the retired one.
      const late = this.#late();
      if (bytes && bytes.length > 0) return [...late, ...this.#splitter.split(bytes)];
      if (late.length > 0) return late;
      if (this.#live && !bytes) this.#emptied();
      else if (place !== 'other' || !this.#reopen()) return undefined;
    }
  }

  /** The lines that were begun, as nothing more is to come. */
  close(): Buffer[] {
    this.#retire();
    while (this.#retired.length > 0) this.#forget();
    return this.#ended.splice(0);
  }

  #late(): Buffer[] {
    return this.#retired.flatMap(({ live, splitter }) => {
      const lines: Buffer[] = [];
      for (let bytes = live.read(blockSize); bytes && bytes.length > 0; bytes = live.read(blockSize)) {
        lines.push(...splitter.split(bytes));
      }
      return lines;
    });
  }

  #ahead(): number {
    return Math.max(0, this.#goal - (this.#live?.position ?? 0));
  }

  async #beginning(
    find: (log: { fd: number; size: number; older: string[] }) => Promise<Beginning>,
  ): Promise<Beginning> {
    this.#directoryChangedAt = changedAt(dirname(this.#file));
    const live = this.#live;
    const older = olderFiles(this.#file);
    if (live && older[0] && isCopyInProgress(older[0], live)) older.shift();
    this.#know(older);
    if (!live) return { older: [], from: 0, isTimed: true };
    return find({ fd: live.fd, size: live.size, older });
  }

  #know(older: readonly string[]): void {
    for (const file of older) this.#known.add(identityOf(file) ?? file);
  }

  async #ofPieces(): Promise<Buffer | undefined> {
    for (;;) {
      if (!this.#blocks) {
        const piece = this.#pieces.shift();
        if (!piece) return undefined;
        this.#blocks = blocksOf(piece.file, piece.from);
      }
      const { value, done } = await this.#blocks.next();
      if (!done) return value;
      this.#blocks = undefined;
    }
  }

  /** What has the name of the log now: the live file, another one, or none. */
  #place(): 'same' | 'other' | 'none' {
    const now = statSync(this.#file, { throwIfNoEntry: false });
    if (now && identityOfInode(now) === this.#live?.identity) return 'same';
    return now || this.#isOld ? 'other' : 'none';
  }

  /** Whether there are copies of what has been in the live file; if so, they are read first. */
  #isRotated(): boolean {
    const live = this.#live;
    const changed = changedAt(dirname(this.#file));
    if (!live || changed === this.#directoryChangedAt) return false;
    this.#directoryChangedAt = changed;
    const fresh = newerThan(this.#known, olderFiles(this.#file));
    if (fresh.some((file) => isFile(file, live))) return false;
    if (fresh.length > 0 && isCopyInProgress(fresh.at(-1)!, live)) {
      fresh.pop();
      // It is to be looked at again, as whole, even if nothing else comes into the directory.
      this.#directoryChangedAt = undefined;
    }
    return this.#readFirst(fresh);
  }

  #readFirst(fresh: readonly string[]): boolean {
    const live = this.#live!;
    this.#know(fresh);
    const first = fresh.findIndex((file) => holdsBefore(file, live));
    const from = live.position;
    const unread = fresh.slice(Math.max(0, first));
    this.#pieces.push(...unread.map((file, index) => ({ file, from: first >= 0 && index === 0 ? from : 0 })));
    if (first >= 0) this.#restart();
    return fresh.length > 0;
  }

  /** The live file has lost what was read of it. */
  #emptied(): void {
    const fresh = newerThan(this.#known, olderFiles(this.#file));
    // A copy that goes on now would be of what stands there now.
    if (fresh.length > 1 && isCopyInProgress(fresh.at(-1)!, this.#live!)) fresh.pop();
    const isHeld = fresh.some((file) => holdsBefore(file, this.#live!));
    this.#readFirst(fresh);
    if (isHeld) return;
    this.#ended.push(...this.#splitter.end());
    this.#restart();
  }

  #restart(): void {
    this.#live!.moveTo(0);
    this.#goal = this.#live!.size;
  }

  /** Goes on with the file that came after the live one, which has been renamed too if there was more than one rotation. */
  #reopen(): boolean {
    const before = this.#live;
    const fresh = newerThan(this.#known, olderFiles(this.#file));
    const own = before ? fresh.findIndex((file) => isFile(file, before)) : -1;
    // What is compressed has another inode than when it was read.
    let next = own >= 0 ? own + 1 : before && fresh[0]?.endsWith('.gz') ? 1 : 0;
    const compressed = next;
    while (fresh[next]?.endsWith('.gz')) next += 1;
    const live = LiveFile.open(fresh[next] ?? this.#file);
    if (!live) return false;
    if (newerThan(this.#known, olderFiles(this.#file)).length > fresh.length) {
      // What was opened may be the one after the next.
      live.close();
      return true;
    }
    this.#pieces.push(...fresh.slice(compressed, next).map((file) => ({ file, from: 0 })));
    this.#know(fresh.slice(0, next + 1));
    this.#retire();
    this.#live = live;
    this.#isOld = next < fresh.length;
    this.#goal = live.size;
    return true;
  }

  /** Keeps what was live until there are too many of them. */
  #retire(): void {
    if (this.#live) this.#retired.push({ live: this.#live, splitter: this.#splitter, position: -1 });
    this.#live = undefined;
    this.#splitter = new LineSplitter();
    if (this.#retired.length > mostRetired) this.#forget();
  }

  #forget(): void {
    const oldest = this.#retired.shift()!;
    this.#ended.push(...oldest.splitter.end());
    oldest.live.close();
  }
}

function isFile(file: string, live: LiveFile): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && identityOfInode(found) === live.identity;
}

function changedAt(directory: string): number | undefined {
  return statSync(directory, { throwIfNoEntry: false })?.mtimeMs;
}
