// The spawn log of a home: the mark of each process, written before the process starts. Anybody can write a mark into an
// environment, but only the owner of the home into this file, so the next daemon believes no other one.
//
// A line is a mark. If the state cannot be written at that time, a tab follows and, as far as there is room, the settings of the
// app: so the next daemon knows an app of which there is no record, and settings that are newer than the record.
//
// Nothing is flushed to the disk, as no process outlives a power cut. A full disk does not matter: the file has its room from
// the first line on, and is overwritten where it is.
import { fstatSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { type AppSpec, parseAppSpec, withoutDefaults } from '../../config/app-spec.ts';
import { reserve } from '../../shared/atomic-file.ts';
import { errnoOf } from '../../shared/errno.ts';
import { detailOf } from '../../shared/errors.ts';
import { type GivenMarks, markedProcesses, type Unrecorded } from './search.ts';

export interface SpawnLogOptions {
  file: string;
  /** False once the home was removed or replaced. */
  isIntact(): boolean;
  /** Called with a message when writing begins to fail. */
  logError(text: string): void;
}

/** Bytes. A mark takes about 80, the settings of an app some thousands. */
const room = 128 * 1024;
/** Settings take no more of it, so that there is room for marks. */
const settingsRoom = room * 0.75;
/** With so many, lines of processes that are gone are dropped. */
const leastToDrop = room * 0.5;

export function createSpawnLog({ file, isIntact, logError }: SpawnLogOptions) {
  let opened: number | undefined;
  /** Behind the last whole line. Blanks follow, or a line that was cut off by the death of a daemon or a full disk. */
  let end = 0;
  let limit = leastToDrop;
  let hasFailed = false;

  /** At the first start: a daemon without apps needs no log. */
  function open(): number {
    reserve(file, room);
    const fd = openSync(file, 'r+');
    end = contentOf(fd).lastIndexOf('\n') + 1;
    return fd;
  }

  function append(fd: number, line: string): void {
    const bytes = Buffer.from(`${line}\n`);
    write(fd, bytes, end);
    end += bytes.length;
  }

  /**
   * Drops older lines whose process is gone. The newest are kept in any case: while a process becomes its program, its
   * environment cannot be read. All lines move to the front, in one write, so a kill in the middle of it loses none.
   */
  function dropDead(fd: number): void {
    const lines = contentOf(fd).toString('utf8', 0, end).split('\n').slice(0, -1);
    const living = new Set(markedProcesses().map(({ text }) => text));
    const newest = lines.length / 2;
    const kept = lines.filter((line, at) => at >= newest || living.has(partsOf(line)[0]));
    const bytes = Buffer.from(kept.map((line) => `${line}\n`).join(''));
    write(fd, Buffer.concat([bytes, Buffer.alloc(end - bytes.length, ' ')]), 0);
    end = bytes.length;
    limit = Math.max(leastToDrop, 2 * end);
  }

  function addTo(fd: number, mark: string, settings: AppSpec | undefined): void {
    if (end > limit) dropDead(fd);
    const least = settings ? `${mark}\t` : mark;
    const line = settings ? `${least}${JSON.stringify(withoutDefaults(settings))}` : mark;
    try {
      append(fd, end + Buffer.byteLength(line) > settingsRoom ? least : line);
    } catch {
      dropDead(fd);
      append(fd, least);
    }
  }

  return {
    /** Call it right before the process starts. `settings`: those of its app, if the state cannot be written. Never throws. */
    add(mark: string, settings?: AppSpec) {
      if (opened === undefined && !isIntact()) return;
      try {
        opened ??= open();
        addTo(opened, mark, settings);
        hasFailed = false;
      } catch (error) {
        if (!hasFailed)
          logError(`failed to write ${file}: ${detailOf(error)}; a next daemon will not know what starts now`);
        hasFailed = true;
      }
    },
  };
}

/** The marks that the daemons of the home have given to processes. Throws the system's error. */
export function readSpawnLog(file: string): GivenMarks {
  try {
    return new Map(readFileSync(file, 'utf8').split('\n').map(entryOf));
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    return new Map();
  }
}

function entryOf(line: string): [string, Unrecorded | undefined] {
  const [mark, settings] = partsOf(line);
  return [mark, settings === undefined ? undefined : unrecordedIn(settings)];
}

function partsOf(line: string): [string, string | undefined] {
  const at = line.indexOf('\t');
  return at < 0 ? [line, undefined] : [line.slice(0, at), line.slice(at + 1)];
}

function unrecordedIn(settings: string): Unrecorded {
  try {
    return { spec: parseAppSpec(JSON.parse(settings)) };
  } catch {
    return {};
  }
}

function contentOf(fd: number): Buffer {
  const bytes = Buffer.alloc(fstatSync(fd).size);
  return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
}

/** Throws the system's error if it cannot write all of it. */
function write(fd: number, bytes: Buffer, at: number): void {
  for (let from = 0; from < bytes.length; ) from += writeSync(fd, bytes, from, bytes.length - from, at + from);
}
