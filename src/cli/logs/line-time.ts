// Parses the time in a log line. Pure.

/** What may precede a time at the beginning of a line: colours, brackets and spaces. */
const before = /^(?:\x1b\[[\d;]*m|[\s[(])*/.source;
const day = /(\d{4})([-/])(\d\d)\2(\d\d)/.source;
const clock = /(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?/.source;
const zone = /(?: ?(Z|UTC|GMT|[+-]\d\d:?\d\d)\b)?/.source;
const stamp = new RegExp(`${before}${day}[T ]${clock}${zone}`);

/** Keys that loggers use for the time, such as pino's `time`, winston's `timestamp` and zap's `ts`. */
const timeKeys = ['time', 'timestamp', 'ts', '@timestamp'] as const;

/** A time must be within this many characters. */
const reach = 100;

/** Longer objects are not parsed: it would cost more than knowing their time is worth. */
export const longestObject = 1024 * 1024;

/** The unit of a number, by its size: each time from 1973 to 5138 fits exactly one of them. */
const units = [
  { least: 1e17, perSecond: 1e9 },
  { least: 1e14, perSecond: 1e6 },
  { least: 1e11, perSecond: 1e3 },
  { least: 1e8, perSecond: 1 },
] as const;
/** Larger times are not valid. */
const mostMs = 1e14;

const openingBrace = 0x7b;

/**
 * Milliseconds since 1970; undefined for a line without a time. Recognises ISO 8601 and similar formats at the
 * beginning of a line (`2026-11-21 18:20:05.123`, `[2026/11/21 18:20:05]`), and JSON objects. Times without a zone are
 * local.
 */
export function lineTimeOf(line: Buffer): number | undefined {
  if (line[0] === openingBrace) return timeOfObject(line);
  // A fast check, so that lines without a time are not decoded.
  if (!hasDigitEarly(line)) return undefined;
  return parseStamp(line.toString('latin1', 0, reach));
}

/** Parses the date and time of day at the beginning of a text. */
export function parseStamp(text: string): number | undefined {
  const match = stamp.exec(text);
  if (!match) return undefined;
  const [, year, , month, date, hour, minute, second = '00', fraction = '', offset] = match;
  const utc = offset === 'UTC' || offset === 'GMT' ? 'Z' : (offset ?? '').replace(/^(...)(\d\d)$/, '$1:$2');
  const ms = Date.parse(
    `${year}-${month}-${date}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}${utc}`,
  );
  return Number.isNaN(ms) ? undefined : ms;
}

function hasDigitEarly(line: Buffer): boolean {
  const end = Math.min(line.length, 24);
  for (let at = 0; at < end; at += 1) if (line[at]! >= 0x30 && line[at]! <= 0x39) return true;
  return false;
}

function timeOfObject(line: Buffer): number | undefined {
  if (line.length > longestObject) return undefined;
  const object = parsed(line.toString());
  for (const key of timeKeys) {
    const ms = timeOfValue(object[key]);
    if (ms !== undefined) return ms;
  }
  return undefined;
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function timeOfValue(value: unknown): number | undefined {
  if (typeof value === 'string') return parseStamp(value);
  if (typeof value !== 'number') return undefined;
  const unit = units.find(({ least }) => value >= least);
  const ms = unit && Math.trunc((value * 1_000) / unit.perSecond);
  return ms !== undefined && ms < mostMs ? ms : undefined;
}
