// The records of one app, in a file to which a line is appended for each: cheap, and whole after a SIGKILL of the daemon.
// Deaths of one cause in a row share a record. The first is written at once; how many follow, four times a second at most.
import { appendFileSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DeathView } from '../../ipc/views.ts';
import { writeAtomically } from '../../shared/atomic-file.ts';
import type { Clock } from '../../shared/clock.ts';
import { errnoOf } from '../../shared/errno.ts';
import { detailOf } from '../../shared/errors.ts';
import { causeKeyOf, type Death, sameRow } from '../process/death/death.ts';
import { decodeDeaths, type Repetition, renderRecord, renderRepetition } from './codec.ts';

export interface DeathFileDeps {
  clock: Clock;
  /** Whether the home is still there. */
  mayWrite(): boolean;
  /** What went wrong, for people. */
  logError(text: string): void;
}

/** Records of an app that are kept, and that `nsv deaths` shows. */
export const mostRecords = 50;
/** Bytes of a file after which it is written anew, and what is kept then. */
const largest = 512 * 1024;
const kept = 256 * 1024;
/** Bytes of a file that this nsv cannot have written. */
const absurd = 16 * 1024 * 1024;
/** Milliseconds from a repetition until it is written. */
const writeAfter = 250;

/** What has to be known of a record to count another death of its cause. */
interface Known extends Repetition {
  key: string;
  at: number;
}

export class DeathFile {
  readonly #file: string;
  readonly #app: string;
  readonly #deps: DeathFileDeps;
  #known: Known[] | undefined;
  #last = 0;
  #size = 0;
  readonly #repeated = new Set<Known>();
  #cancel: (() => void) | undefined;
  #hasFailed = false;
  /** Records that could not be written: the disk is full, or there is no home. */
  #unwritten: DeathView[] = [];

  constructor(file: string, app: string, deps: DeathFileDeps) {
    this.#file = file;
    this.#app = app;
    this.#deps = deps;
  }

  /** Returns the record of this death, with the number and the count of its row. */
  add(death: Death): DeathView {
    const known = this.#load();
    const key = causeKeyOf(death);
    const row = known.findLast((one) => one.key === key && death.at - one.lastAt <= sameRow);
    if (row) return this.#repeat(row, death);
    const number = this.#last + 1;
    this.#last = number;
    const { at, slot, next } = death;
    const record: DeathView = { ...death, number, times: 1, lastAt: at, slots: [slot] };
    known.push({ key, at, number, times: 1, lastAt: at, slots: [slot], next });
    if (known.length > mostRecords) known.shift();
    if (!this.#append(renderRecord(record))) this.#unwritten = [...this.#unwritten, record].slice(-mostRecords);
    return record;
  }

  /** Oldest first. */
  records(): DeathView[] {
    this.flush();
    const { deaths } = decodeDeaths(this.#read(), this.#app);
    return [...deaths, ...this.#unwritten].slice(-mostRecords);
  }

  /** Writes what has been counted. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#repeated.size === 0) return;
    const lines = [...this.#repeated].map(renderRepetition).join('');
    this.#repeated.clear();
    this.#append(lines);
  }

  remove(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#repeated.clear();
    this.#known = undefined;
    this.#unwritten = [];
    if (!this.#deps.mayWrite()) return;
    try {
      for (const name of [this.#file, this.#bad]) rmSync(name, { recursive: true, force: true });
    } catch (error) {
      this.#complain(error);
    }
  }

  get #bad(): string {
    return `${this.#file}.bad`;
  }

  #repeat(row: Known, death: Death): DeathView {
    const slots = row.slots.includes(death.slot) ? row.slots : [...row.slots, death.slot];
    Object.assign(row, { times: row.times + 1, lastAt: death.at, slots, next: death.next });
    this.#repeated.add(row);
    const unwritten = this.#unwritten.find(({ number }) => number === row.number);
    if (unwritten) Object.assign(unwritten, { times: row.times, lastAt: row.lastAt, slots, next: row.next });
    this.#cancel ??= this.#deps.clock.after(writeAfter, () => this.flush());
    const { number, times, at } = row;
    return { ...death, number, times, at, lastAt: death.at, slots };
  }

  /** Read once, at the first death under this daemon. */
  #load(): Known[] {
    if (this.#known) return this.#known;
    const text = this.#read();
    const { deaths, bad } = decodeDeaths(text, this.#app);
    this.#known = deaths.slice(-mostRecords).map((death) => {
      const { at, number, times, lastAt, slots, next } = death;
      return { key: causeKeyOf(death), at, number, times, lastAt, slots, next };
    });
    this.#last = Math.max(0, ...this.#known.map(({ number }) => number));
    if (bad.length > 0) this.#quarantine(deaths, bad);
    // The next line would become part of the last one.
    else if (text !== '' && !text.endsWith('\n')) this.#compact(deaths);
    return this.#known;
  }

  #read(): string {
    try {
      const stats = lstatSync(this.#file, { throwIfNoEntry: false });
      this.#size = stats?.size ?? 0;
      if (!stats) return '';
      if (stats.isFile() && stats.size <= absurd) return readFileSync(this.#file, 'utf8');
      renameSync(this.#file, this.#bad);
      this.#size = 0;
      this.#deps.logError(`${this.#file} was not written by nsv; it is now ${this.#bad}`);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') this.#deps.logError(`failed to read ${this.#file}: ${detailOf(error)}`);
    }
    return '';
  }

  #quarantine(deaths: readonly DeathView[], bad: readonly string[]): void {
    const records = bad.length === 1 ? '1 record' : `${bad.length} records`;
    try {
      writeAtomically(this.#bad, `${bad.join('\n')}\n`, { durable: false });
      this.#rewrite(deaths);
      this.#deps.logError(`${records} in ${this.#file} cannot be read, and moved to ${this.#bad}`);
    } catch (error) {
      this.#deps.logError(`${records} in ${this.#file} cannot be read: ${detailOf(error)}`);
    }
  }

  /** Returns false if it cannot be written. */
  #append(lines: string): boolean {
    if (!this.#deps.mayWrite()) return false;
    try {
      this.#write(lines);
    } catch (error) {
      // Without a home, `nsv run` keeps them in memory.
      if (errnoOf(error) !== 'ENOENT') this.#complain(error);
      return false;
    }
    this.#hasFailed = false;
    this.#size += Buffer.byteLength(lines);
    if (this.#size > largest) this.#compact(decodeDeaths(this.#read(), this.#app).deaths);
    return true;
  }

  #compact(deaths: readonly DeathView[]): void {
    try {
      this.#rewrite(deaths);
    } catch (error) {
      this.#complain(error);
    }
  }

  /** Once, until it works again. */
  #complain(error: unknown): void {
    if (!this.#hasFailed) this.#deps.logError(`failed to write ${this.#file}: ${detailOf(error)}`);
    this.#hasFailed = true;
  }

  #write(lines: string): void {
    try {
      appendFileSync(this.#file, lines, { mode: 0o600 });
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
      mkdirSync(dirname(this.#file), { mode: 0o700 });
      appendFileSync(this.#file, lines, { mode: 0o600 });
    }
  }

  /** Keeps the newest. */
  #rewrite(deaths: readonly DeathView[]): void {
    const lines: string[] = [];
    let size = 0;
    for (const death of deaths.slice(-mostRecords).reverse()) {
      const line = renderRecord(death);
      size += Buffer.byteLength(line);
      if (size > kept) break;
      lines.unshift(line);
    }
    writeAtomically(this.#file, lines.join(''), { durable: false });
    this.#size = Buffer.byteLength(lines.join(''));
  }
}
