// Parses the value of `--since`. Pure.
import { BadValue } from '../../config/options/parsers.ts';
import { parseDuration } from '../../shared/units.ts';
import { parseStamp } from '../logs/line-time.ts';

const examples = 'a duration such as 10m or 1h30m, or a time such as 18:00, 2026-11-21 or 2026-11-21T18:00';

/**
 * Accepts `10m`, `1h30m`, `2d` (ago), `18:00`, `18:00:05` (today), `2026-11-21`, `2026-11-21 18:00`, with a zone or in
 * local time, or seconds since 1970. Returns milliseconds since 1970. Throws BadValue.
 */
export function parseMoment(input: string, now: number): number {
  const text = input.trim();
  const ms =
    ago(text, now) ?? today(text, now) ?? parseStamp(/^[\d-]+$/.test(text) ? `${text} 00:00` : text) ?? epoch(text);
  if (ms === undefined) throw new BadValue(`must be ${examples}, not ${JSON.stringify(input)}`);
  return ms;
}

function ago(text: string, now: number): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/i.test(text)) return undefined;
  const parts = text.match(/[\d.]+[a-z]+/gi) ?? [];
  return parts.reduce((moment, part) => moment - parseDuration(part)!, now);
}

function today(text: string, now: number): number | undefined {
  const match = /^(\d\d?):(\d\d)(?::(\d\d))?$/.exec(text);
  if (!match) return undefined;
  const [hour, minute, second = 0] = match.slice(1).map((part) => (part === undefined ? 0 : Number(part)));
  if (hour! > 23 || minute! > 59 || second > 59) return undefined;
  return new Date(now).setHours(hour!, minute!, second, 0);
}

function epoch(text: string): number | undefined {
  return /^\d{9,10}$/.test(text) ? Number(text) * 1_000 : undefined;
}
