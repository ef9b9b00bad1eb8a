// The lines of a file of death records: a record, or how often that death has happened since. Pure and total: what cannot be
// read is handed back, and costs nothing else.
import type { DeathSequel, DeathView } from '../../ipc/views.ts';
import { causeOf, exitOf, framesOf } from '../state/death-fields.ts';
import {
  countOf,
  type Fields,
  fieldsOf,
  flagOf,
  listOf,
  oneOf,
  orNull,
  pidOf,
  textOf,
  timeOf,
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
      const fields = fieldsOf(JSON.parse(line), 'record');
      const number = countOf(fields.number, 'number');
      const known = deaths.get(number);
      // A daemon that has handed over may have written its last count late.
      if (fields.cause !== undefined) deaths.set(number, { ...deathOf(fields), app });
      else if (known && known.times < countOf(fields.times, 'times')) Object.assign(known, repetitionOf(fields));
    } catch {
      bad.push(line);
    }
  }
  return { deaths: [...deaths.values()], bad };
}

function repetitionOf({ number, times, lastAt, slots, next }: Fields): Repetition {
  return {
    number: countOf(number, 'number'),
    times: countOf(times, 'times'),
    lastAt: timeOf(lastAt, 'lastAt'),
    slots: listOf(slots, 'slots', (slot) => countOf(slot, 'slots')),
    next: oneOf(next, 'next', sequels),
  };
}

function deathOf(fields: Fields): Omit<DeathView, 'app'> {
  const { exit, error, stack, usage } = fields;
  return {
    ...repetitionOf(fields),
    id: countOf(fields.id, 'id'),
    slot: countOf(fields.slot, 'slot'),
    pid: pidOf(fields.pid, 'pid'),
    at: timeOf(fields.at, 'at'),
    uptime: timeOf(fields.uptime, 'uptime'),
    cause: causeOf(fields.cause),
    certain: flagOf(fields.certain, 'certain'),
    by: orNull(fields.by, 'by', textOf),
    detail: orNull(fields.detail, 'detail', textOf),
    exit: exitOf(exit),
    overdue: flagOf(fields.overdue, 'overdue'),
    error: orNull(error, 'error', errorOf),
    stack: orNull(stack, 'stack', framesOf),
    output: listOf(fields.output, 'output', (line) => textOf(line, 'output')),
    usage: orNull(usage, 'usage', usageOf),
    cutShort: countOf(fields.cutShort, 'cutShort'),
  };
}

function errorOf(input: unknown): NonNullable<DeathView['error']> {
  const { headline, frames } = fieldsOf(input, 'error');
  return { headline: textOf(headline, 'headline'), frames: framesOf(frames) };
}

function usageOf(input: unknown): NonNullable<DeathView['usage']> {
  const { at, memory, cpu } = fieldsOf(input, 'usage');
  return { at: timeOf(at, 'at'), memory: countOf(memory, 'memory'), cpu: timeOf(cpu, 'cpu') };
}
