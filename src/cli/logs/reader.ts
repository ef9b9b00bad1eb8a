// Reads a log as an endless stream of lines. Its file may grow, be truncated, be deleted or appear later. It may be
// rotated by copy and truncation (nsv, `copytruncate`), or by renaming and a new file (logrotate). What was written
// between the last read and the rotation is read from the copy, or from the old file, which stays open.
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Start } from '../render/log-line.ts';
import { type Beginning, beginningOfNew, type PastLines, type Piece, startOfLog } from './beginning.ts';
import { blockSize, blocksOf } from './blocks.ts';
import { holdsBefore, identityOfInode, isCopyInProgress, LiveFile } from './live-file.ts';
import { archiveIdentity, newerThan, olderFiles } from './older-files.ts';
import { LineSplitter } from './splitter.ts';

/** Renamed files that are kept open. */
const mostRetired = 3;

/** A file that was replaced by a new one. Its app may write to it for a while, until it is told to reopen its logs. */
interface Retired {
  live: LiveFile;
  splitter: LineSplitter;
  /** The position at the last look. */
  position: number;
}

type Place = 'same' | 'other' | 'none';

interface Mark {
  start: Start;
  offset: number;
}

export class LogReader {
  readonly #file: string;
  #live: LiveFile | undefined;
  /** Whether the live file was already renamed when it was opened. */
  #isOld = false;
  #splitter = new LineSplitter();
  #retired: Retired[] = [];
  /** Rotated files to read before the live one, oldest first; the first is partly read. */
  #pieces: Piece[] = [];
  #blocks: AsyncGenerator<Buffer> | undefined;
  /** Unfinished lines that can no longer be completed. */
  #ended: Buffer[] = [];
  /** Identities of rotated files that existed at the start or have been read. */
  #known = new Set<string>();
  /** The modification time of the directory: there is no new rotated file unless it changes. */
  #directoryChangedAt: number | undefined;
  /** Where starts are in the live file, beyond the position; the first first. */
  #marks: Mark[] = [];
  /** When the content of the live file was last moved, in milliseconds since 1970: places of before are others now. */
  #movedAt = Number.POSITIVE_INFINITY;
  #changedAt: number | undefined;
  /** The position at which a look ends, even if the app writes faster than nsv reads. The first one ends where the past does. */
  #goal = 0;
  #looks = 0;

  constructor(file: string) {
    this.#file = file;
    this.#live = LiveFile.open(file);
  }

  /** When the live file was changed before it was first looked at, in milliseconds since 1970. */
  get changedAt(): number | undefined {
    return this.#changedAt;
  }

  /** Goes to the requested beginning; false if it is requested by time and no line has one. */
  async begin(past: PastLines): Promise<boolean> {
    const { older, from, isTimed } = await this.#beginning((log) => startOfLog(log, past));
    this.#pieces = older;
    this.#live?.moveTo(from);
    return isTimed;
  }

  /** Like `begin`, but for a file created after `moment` (milliseconds since 1970): all of it. False if it is older. */
  async beginNew(moment: number): Promise<boolean> {
    if (this.#live && this.#live.bornAt < moment) return false;
    this.#pieces = (await this.#beginning(async (log) => beginningOfNew(log, moment))).older;
    return true;
  }

  /**
   * Makes `next` return the start at its place in the live file: `offset` bytes from the beginning. `isNew`: it has just happened.
   * Others are left out if the place is passed, or is not that place any more.
   */
  mark(start: Start, offset: number, isNew: boolean): void {
    if (!this.#live || (!isNew && !this.#isAhead(start, offset))) return;
    // Both outputs may go to this file.
    if (this.#marks.some((mark) => mark.start === start)) return;
    this.#marks.push({ start, offset });
    this.#marks.sort((one, other) => one.offset - other.offset);
  }

  /** Makes `next` return what is available now. */
  look(): void {
    this.#looks += 1;
    if (this.#looks > 1) this.#goal = this.#live?.size ?? 0;
    for (const each of this.#retired) {
      // Nothing was written since the last look, so an unfinished line is shown as it is.
      if (each.position === each.live.position) this.#ended.push(...each.splitter.end());
      each.position = each.live.position;
    }
  }

  /** The next lines, possibly none; undefined if there are no more until the next look. */
  async next(): Promise<(Buffer | Start)[] | undefined> {
    for (;;) {
      if (this.#ended.length > 0) return this.#ended.splice(0);
      const older = await this.#ofPieces();
      if (older) return this.#splitter.split(older);
      const place = this.#looks === 1 ? 'same' : this.#place();
      if (place === 'same' && this.#isRotated()) continue;
      const started = this.#started();
      if (started) return started;
      const bytes = this.#live?.read(this.#nextLength(place));
      // Late lines go first: the app wrote them to the retired file before it opened the live one.
      const late = this.#late();
      if (bytes && bytes.length > 0) return [...late, ...this.#splitter.split(bytes)];
      if (late.length > 0) return late;
      if (this.#live && !bytes) this.#emptied();
      else if (place !== 'other' || !this.#reopen()) return undefined;
    }
  }

  /** Returns the unfinished lines. */
  close(): Buffer[] {
    this.#retire();
    while (this.#retired.length > 0) this.#forget();
    return this.#ended.splice(0);
  }

  /** The starts at the position, and those that were told too late. What the process before left unfinished ends there. */
  #started(): (Buffer | Start)[] | undefined {
    const { position = 0 } = this.#live ?? {};
    const reached = this.#marks.filter(({ offset }) => offset <= position);
    if (reached.length === 0) return undefined;
    this.#marks = this.#marks.slice(reached.length);
    const isHere = reached.at(-1)!.offset === position;
    return [...(isHere ? this.#splitter.end() : []), ...reached.map(({ start }) => start)];
  }

  /** Bytes to read at most: to the goal, except of a file that has been replaced, and not past the next start. */
  #nextLength(place: Place): number {
    const position = this.#live?.position ?? 0;
    const goal = place === 'other' ? Number.POSITIVE_INFINITY : Math.max(position, this.#goal);
    return Math.min(blockSize, goal - position, (this.#marks[0]?.offset ?? Number.POSITIVE_INFINITY) - position);
  }

  #isAhead({ at }: Start, offset: number): boolean {
    const live = this.#live!;
    return at >= this.#movedAt && offset >= live.position && live.isLineStart(offset);
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

  async #beginning(
    find: (log: { fd: number; size: number; older: string[] }) => Promise<Beginning>,
  ): Promise<Beginning> {
    this.#directoryChangedAt = changedAt(dirname(this.#file));
    const live = this.#live;
    const older = olderFiles(this.#file);
    if (live && older[0] && isCopyInProgress(older[0], live)) older.shift();
    this.#know(older);
    if (live) this.#movedAt = Math.max(live.bornAt, ...older.slice(0, 1).map(bornAt));
    this.#changedAt = live?.changedAt;
    if (!live) return { older: [], from: 0, isTimed: true };
    this.#goal = live.size;
    return find({ fd: live.fd, size: this.#goal, older });
  }

  #know(older: readonly string[]): void {
    for (const file of older) this.#known.add(archiveIdentity(file) ?? file);
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

  /** Whether the path of the log leads to the live file, another file, or none. */
  #place(): Place {
    const now = statSync(this.#file, { throwIfNoEntry: false });
    if (now && identityOfInode(now) === this.#live?.identity) return 'same';
    return now || this.#isOld ? 'other' : 'none';
  }

  /** Whether there are new copies of content of the live file; if so, schedules them to be read first. */
  #isRotated(): boolean {
    const live = this.#live;
    const changed = changedAt(dirname(this.#file));
    if (!live || changed === this.#directoryChangedAt) return false;
    this.#directoryChangedAt = changed;
    const fresh = newerThan(this.#known, olderFiles(this.#file));
    if (fresh.some((file) => isFile(file, live))) return false;
    if (fresh.length > 0 && isCopyInProgress(fresh.at(-1)!, live)) {
      fresh.pop();
      // The copy must be looked at again when it is complete, even if nothing else changes in the directory.
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

  /** Handles the truncation of the live file. */
  #emptied(): void {
    const fresh = newerThan(this.#known, olderFiles(this.#file));
    // A copy in progress must be one of the new content.
    if (fresh.length > 1 && isCopyInProgress(fresh.at(-1)!, this.#live!)) fresh.pop();
    const isHeld = fresh.some((file) => holdsBefore(file, this.#live!));
    this.#readFirst(fresh);
    if (isHeld) return;
    this.#ended.push(...this.#splitter.end());
    this.#restart();
  }

  #restart(): void {
    this.#marks = [];
    this.#live!.moveTo(0);
    this.#goal = this.#live!.size;
  }

  /** Continues with the successor of the live file, which is itself renamed if there were several rotations. */
  #reopen(): boolean {
    const before = this.#live;
    const fresh = newerThan(this.#known, olderFiles(this.#file));
    const own = before ? fresh.findIndex((file) => isFile(file, before)) : -1;
    // A compressed file has a new inode, so it does not match the one that was read.
    let next = own >= 0 ? own + 1 : before && fresh[0]?.endsWith('.gz') ? 1 : 0;
    const compressed = next;
    while (fresh[next]?.endsWith('.gz')) next += 1;
    const live = LiveFile.open(fresh[next] ?? this.#file);
    if (!live) return false;
    if (newerThan(this.#known, olderFiles(this.#file)).length > fresh.length) {
      // The opened file may not be the direct successor.
      live.close();
      return true;
    }
    this.#pieces.push(...fresh.slice(compressed, next).map((file) => ({ file, from: 0 })));
    this.#know(fresh.slice(0, next + 1));
    this.#retire();
    this.#marks = [];
    this.#live = live;
    this.#isOld = next < fresh.length;
    this.#goal = live.size;
    return true;
  }

  /** Keeps the live file open as a retired one, up to a limit. */
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

function bornAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.birthtimeMs ?? 0;
}

function changedAt(directory: string): number | undefined {
  return statSync(directory, { throwIfNoEntry: false })?.mtimeMs;
}
