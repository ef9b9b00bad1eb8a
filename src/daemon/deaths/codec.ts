// The lines of a file of death records: a record, or how often that death has happened since. Pure and total: what cannot be
// read is handed back, and costs nothing else.
import type { DeathSequel, DeathView } from '../../ipc/views.ts';
import { exitOf, framesOf, readCause } from '../state/death-fields.ts';
import {
  type Fields,
  orNull,
  readCount,
  readFlag,
  readList,
  readObject,
  readOneOf,
  readPid,
  readText,
  readTime,
} from '../state/fields.ts';

/** What changes when a death of the same cause follows. */
export type Repetition = Pick<DeathView, 'number' | 'times' | 'lastAt' | 'slots' | 'next'>;

/** Bytes of a record. */
const largest = 16 * 1024;
const shorterLine = 200;

const sequels: readonly DeathSequel[] = ['restarted', 'replaced', 'gave up', 'stopped'];

export function renderRecord(death: DeathView): string {
  const line = JSON.stringify(death);
  if (line.length <= largest) return `${line}\n`;
  const output = death.output.map((text) => text.slice(0, shorterLine));
  const frames = death.error && { ...death.error, frames: death.error.frames.slice(0, 5) };
  return `${JSON.stringify({ ...death, output, error: frames, stack: death.stack?.slice(0, 5) ?? null })}\n`;
}

export function renderRepetition({ number, times, lastAt, slots, next }: Repetition): string {
  return `${JSON.stringify({ number, times, lastAt, slots, next })}\n`;
}

export interface DecodedDeaths {
  /** Oldest first. */
  deaths: DeathView[];
  /** Lines that cannot be used. */
  bad: string[];
}

/** `app`: whose records they are. */
export function decodeDeaths(text: string, app: string): DecodedDeaths {
  const deaths = new Map<number, DeathView>();
  const bad: string[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    try {
      const fields = readObject(JSON.parse(line), 'record');
      const number = readCount(fields.number, 'number');
      const known = deaths.get(number);
      // A daemon that has handed over may have written its last count late.
      if (fields.cause !== undefined) deaths.set(number, { ...deathOf(fields), app });
      else if (known && known.times < readCount(fields.times, 'times')) Object.assign(known, repetitionOf(fields));
    } catch {
      bad.push(line);
    }
  }
  return { deaths: [...deaths.values()], bad };
}

function repetitionOf({ number, times, lastAt, slots, next }: Fields): Repetition {
  return {
    number: readCount(number, 'number'),
    times: readCount(times, 'times'),
    lastAt: readTime(lastAt, 'lastAt'),
    slots: readList(slots, 'slots', (slot) => readCount(slot, 'slots')),
    next: readOneOf(next, 'next', sequels),
  };
}

function deathOf(fields: Fields): Omit<DeathView, 'app'> {
  const { exit, error, stack, usage } = fields;
  return {
    ...repetitionOf(fields),
    id: readCount(fields.id, 'id'),
    slot: readCount(fields.slot, 'slot'),
    pid: readPid(fields.pid, 'pid'),
    at: readTime(fields.at, 'at'),
    uptime: readTime(fields.uptime, 'uptime'),
    cause: readCause(fields.cause),
    certain: readFlag(fields.certain, 'certain'),
    by: orNull(fields.by, 'by', readText),
    detail: orNull(fields.detail, 'detail', readText),
    exit: exitOf(exit),
    overdue: readFlag(fields.overdue, 'overdue'),
    error: orNull(error, 'error', errorOf),
    stack: orNull(stack, 'stack', framesOf),
    output: readList(fields.output, 'output', (line) => readText(line, 'output')),
    usage: orNull(usage, 'usage', usageOf),
    cutShort: readCount(fields.cutShort, 'cutShort'),
  };
}

function errorOf(input: unknown): NonNullable<DeathView['error']> {
  const { headline, frames } = readObject(input, 'error');
  return { headline: readText(headline, 'headline'), frames: framesOf(frames) };
}

function usageOf(input: unknown): NonNullable<DeathView['usage']> {
  const { at, memory, cpu } = readObject(input, 'usage');
  return { at: readTime(at, 'at'), memory: readCount(memory, 'memory'), cpu: readTime(cpu, 'cpu') };
}
