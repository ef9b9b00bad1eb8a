// Renders one line of an app's output for `nsv logs`.
import { hues, type Paint } from './paint.ts';
import { coloursOnly, printable, toJson } from './text.ts';

export interface LogOrigin {
  id: number;
  name: string;
  /** Null if the instances of an app share the file. */
  slot: number | null;
  stream: 'out' | 'err';
}

export interface LogSource extends LogOrigin {
  file: string;
}

/** A process of an app began to write here. */
export interface Start {
  /** Milliseconds since 1970. */
  at: number;
  app: string;
  /** Undefined if the app has one instance. */
  slot: number | undefined;
}

/** What its file tells of the time of a line; times in milliseconds since 1970. */
export interface LineAge {
  /** Written while the logs are followed. */
  isNew: boolean;
  /** When the process before it in the file was started. */
  startedAt: number | undefined;
  /** When the file was last changed. */
  changedAt: number | undefined;
}

/** Takes the lines of logs, and shows them. */
export interface LogSink {
  emit(source: LogSource, line: Buffer, age: LineAge): void;
  /** `isNew`: the process has just been started. */
  start?(source: LogSource, start: Start, isNew: boolean): void;
  /** Shows what it has. Resolves when its reader has caught up: the files can wait, and memory is limited. */
  flush(): Promise<void>;
  /** Lines since a moment were requested, and the lines of this file carry no times. */
  tellUntimed(source: LogSource): void;
}

export type LogFormat = 'prefixed' | 'raw' | 'json';

export interface LogLook {
  format: LogFormat;
  /** Whether each line is prefixed with its time. JSON always contains it. */
  timestamp: boolean;
  /** Whether it is for a terminal, which control characters of an app could manipulate. Raw lines are passed on anyway. */
  terminal: boolean;
  /** Whether colours tell the two streams apart. If not, words do. */
  colour: boolean;
}

/** The times of a line, in milliseconds since 1970. */
export interface LineTimes {
  /** The time in the line itself. */
  own: () => number | undefined;
  /** When nsv read the line, if it was following the log. */
  seen: number | undefined;
  notBefore?: number | undefined;
  notAfter?: number | undefined;
}

/** Returns the bytes of the line in parts, without a newline. */
export type LogLine = (origin: LogOrigin, line: Buffer, times: LineTimes) => Buffer[];

/**
 * Passes the line through unchanged, byte for byte; on a terminal with nothing but its text and its colours. The prefix
 * has a colour per app, and standard error has a red bar, or the word "err" without colours. `origins`: the known logs, for
 * the width of the prefix; later ones may make it wider.
 */
export function createLogLine(look: LogLook, origins: readonly LogOrigin[], paint: Paint): LogLine {
  const { format, timestamp, terminal, colour } = look;
  if (format === 'json') return (origin, line, { own }) => [Buffer.from(renderJson(origin, line, own()))];
  const stamp = timestamp ? createStamp(paint) : () => [];
  if (format === 'raw') return (_, line, times) => [...stamp(times), line];
  const prefix = createPrefix(origins, colour ? label : labelWithStream, paint);
  return (origin, line, times) => [prefix(origin), ...stamp(times), terminal ? forTerminal(line) : line];
}

export function forTerminal(line: Buffer): Buffer {
  return Buffer.from(coloursOnly(line.toString()));
}

function renderJson({ id, name, slot, stream }: LogOrigin, line: Buffer, time: number | undefined): string {
  const at = time === undefined ? {} : { time: new Date(time).toISOString() };
  return toJson({ ...at, id, app: name, slot, stream, message: line.toString() });
}

type Label = (origin: LogOrigin) => string;

function createPrefix(origins: readonly LogOrigin[], label: Label, paint: Paint): (origin: LogOrigin) => Buffer {
  const names = [...new Set(origins.map(({ name }) => name))];
  const known = new Map<string, Buffer>();
  let width = Math.max(0, ...origins.map((origin) => label(origin).length));
  return (origin) => {
    const prefix = label(origin);
    if (prefix.length > width) known.clear();
    width = Math.max(width, prefix.length);
    const key = `${prefix} ${origin.stream}`;
    const found = known.get(key) ?? Buffer.from(rendered(origin, prefix));
    known.set(key, found);
    return found;
  };

  function rendered({ name, stream }: LogOrigin, prefix: string): string {
    if (!names.includes(name)) names.push(name);
    const hue = hues[names.indexOf(name) % hues.length]!;
    return `${paint(hue, prefix.padEnd(width))} ${paint(stream === 'err' ? 'bad' : hue, '|')} `;
  }
}

function label({ id, name, slot }: LogOrigin): string {
  return [id, printable(name), ...(slot === null ? [] : [slot])].join('|');
}

function labelWithStream(origin: LogOrigin): string {
  return `${label(origin)}${origin.stream === 'err' ? ' err' : ''}`;
}

/** `── web started 15:31:02 ──`, with the day if that is not today. `now`: milliseconds since 1970. */
export function renderStart({ at, app, slot }: Start, now: number, paint: Paint): Buffer {
  const [day, time] = localTime(at).slice(0, -4).split(' ');
  const isToday = localTime(now).startsWith(day!);
  const who = slot === undefined ? printable(app) : `${printable(app)} (instance ${slot})`;
  return Buffer.from(paint('faint', `── ${who} started ${isToday ? time : `${day} ${time}`} ──`));
}

const stampWidth = '2026-11-21 18:20:05.123'.length;

function createStamp(paint: Paint): (times: LineTimes) => Buffer[] {
  return (times) => [Buffer.from(`${paint('faint', stampOf(times).padEnd(stampWidth))} `)];
}

/** The time of a line; of one without a time what its file tells, to the second. */
function stampOf({ own, seen, notBefore, notAfter }: LineTimes): string {
  const time = own() ?? seen;
  if (time !== undefined) return localTime(time);
  const bound = notBefore ?? notAfter;
  return bound === undefined ? '' : `${notBefore === undefined ? '≤' : '≥'} ${localTime(bound).slice(0, -4)}`;
}

/** `2026-11-21 18:20:05.123` in local time. */
export function localTime(ms: number): string {
  const date = new Date(ms);
  return new Date(ms - date.getTimezoneOffset() * 60_000).toISOString().replace('T', ' ').slice(0, -1);
}
