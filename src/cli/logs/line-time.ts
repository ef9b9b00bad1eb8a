// The time that a line of a log carries itself. Pure.

/** Where a time stands at the beginning of a line: after colours, brackets and spaces. */
const before = /^(?:\x1b\[[\d;]*m|[\s[(])*/.source;
const day = /(\d{4})([-/])(\d\d)\2(\d\d)/.source;
const clock = /(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?/.source;
const zone = /(?: ?(Z|UTC|GMT|[+-]\d\d:?\d\d)\b)?/.source;
const stamp = new RegExp(`${before}${day}[T ]${clock}${zone}`);

/** Names under which loggers write the time, such as pino's `time`, winston's `timestamp` and zap's `ts`. */
const timeKeys = ['time', 'timestamp', 'ts', '@timestamp'] as const;

/** Characters after which no time begins any more. */
const reach = 100;

/** Longer objects are not looked into: to parse them would cost more than their place is worth. */
export const longestObject = 1024 * 1024;

/** Numbers from here on are of this unit since 1970, so that each time from 1973 to 5138 is in one of them. */
const units = [
  { least: 1e17, perSecond: 1e9 },
  { least: 1e14, perSecond: 1e6 },
  { least: 1e11, perSecond: 1e3 },
  { least: 1e8, perSecond: 1 },
] as const;
/** Above there is no date, and none can be written. */
const mostMs = 1e14;

const openingBrace = 0x7b;

/**
 * Milliseconds since 1970; undefined where a line carries none. Times without a zone are those of this machine. Known are
 * ISO 8601 and its likes at the beginning of a line (`2026-11-21 18:20:05.123`, `[2026/11/21 18:20:05]`), and JSON objects.
 */
export function timeOf(line: Buffer): number | undefined {
  if (line[0] === openingBrace) return timeOfObject(line);
  // Else nearly all lines without a time would be made a text for nothing.
  if (!hasDigitEarly(line)) return undefined;
  return parseStamp(line.toString('latin1', 0, reach));
}

/** Of a text that begins with a date and a time of day. */
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
