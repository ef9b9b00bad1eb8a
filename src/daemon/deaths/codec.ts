// The lines of a file of death records: a record, or how often that death has happened since. Pure and total: what cannot be
// read is handed back, and costs nothing else.
import type { DeathView } from '../../ipc/views.ts';
import {
  among,
  array,
  bool,
  natural,
  objectOf,
  orNull,
  processId,
  record,
  type Shape,
  string,
  time,
} from '../../shared/shapes.ts';
import { deathCause, exit, frames } from '../state/death-shapes.ts';

/** What changes when a death of the same cause follows. */
export type Repetition = Pick<DeathView, 'number' | 'times' | 'lastAt' | 'slots' | 'next'>;

/** Bytes of a record. */
const largest = 16 * 1024;
const shorterLine = 200;

const repetitionFields = {
  number: natural,
  times: natural,
  lastAt: time,
  slots: array(natural),
  next: among('restarted', 'replaced', 'gave up', 'stopped'),
};
const repetition: Shape<Repetition> = record(repetitionFields);

const error: Shape<NonNullable<DeathView['error']>> = record({ headline: string(), frames });
const usage: Shape<NonNullable<DeathView['usage']>> = record({ at: time, memory: natural, cpu: time });

const death: Shape<Omit<DeathView, 'app'>> = record({
  ...repetitionFields,
  id: natural,
  slot: natural,
  pid: processId,
  at: time,
  uptime: time,
  cause: deathCause,
  certain: bool,
  by: orNull(string()),
  detail: orNull(string()),
  exit,
  overdue: bool,
  error: orNull(error),
  stack: orNull(frames),
  output: array(string()),
  usage: orNull(usage),
  cutShort: natural,
});

export function renderRecord(view: DeathView): string {
  const line = JSON.stringify(view);
  if (line.length <= largest) return `${line}\n`;
  const output = view.output.map((printed) => printed.slice(0, shorterLine));
  const shorter = view.error && { ...view.error, frames: view.error.frames.slice(0, 5) };
  return `${JSON.stringify({ ...view, output, error: shorter, stack: view.stack?.slice(0, 5) ?? null })}\n`;
}

export function renderRepetition({ number, times, lastAt, slots, next }: Repetition): string {
  return `${JSON.stringify({ number, times, lastAt, slots, next })}\n`;
}

/** The records of an app, oldest first, and the lines that cannot be used. */
export function decodeDeaths(content: string, app: string) {
  const deaths = new Map<number, DeathView>();
  const bad: string[] = [];
  for (const line of content.split('\n')) {
    if (line === '') continue;
    try {
      const fields = objectOf(JSON.parse(line), 'record');
      const number = natural(fields.number, 'number');
      const known = deaths.get(number);
      // A daemon that has handed over may have written its last count late.
      if (fields.cause !== undefined) deaths.set(number, { ...death(fields, 'record'), app });
      else if (known && known.times < natural(fields.times, 'times'))
        Object.assign(known, repetition(fields, 'record'));
    } catch {
      bad.push(line);
    }
  }
  return { deaths: [...deaths.values()], bad };
}
