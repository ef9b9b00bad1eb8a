// Parses and renders durations and byte sizes.

const durationUnits = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const sizeUnits = { b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 } as const;

/** Milliseconds of `500`, `"500"`, `"500ms"`, `"5s"`, `"1.5m"`, `"2h"` or `"1d"`; undefined for anything else. */
export function parseDuration(input: string | number): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$/i.exec(String(input).trim());
  if (!match) return undefined;
  const unit = (match[2]?.toLowerCase() ?? 'ms') as keyof typeof durationUnits;
  return Math.round(Number(match[1]) * durationUnits[unit]);
}

/** Bytes of `1048576`, `"300M"`, `"1.5G"` or `"64KiB"`, else undefined. Units are powers of 1024, as in PM2. */
export function parseSize(input: string | number): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([bkmgt])?(?:i?b)?$/i.exec(String(input).trim());
  if (!match) return undefined;
  const unit = (match[2]?.toLowerCase() ?? 'b') as keyof typeof sizeUnits;
  return Math.round(Number(match[1]) * sizeUnits[unit]);
}

/** `850ms`, `12s`, `3m`, `5h`, `2d`: one unit, rounded down. */
export function renderDuration(ms: number): string {
  if (ms < 1_000) return `${Math.floor(ms)}ms`;
  if (ms < 60_000) return `${Math.floor(ms / 1_000)}s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)}m`;
  if (ms < 86_400_000) return `${Math.floor(ms / 3_600_000)}h`;
  return `${Math.floor(ms / 86_400_000)}d`;
}

/** `512b`, `4.2kb`, `48.3mb`, `1.2gb`. */
export function renderSize(bytes: number): string {
  const names = ['b', 'kb', 'mb', 'gb', 'tb'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < names.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)}${names[unit]}`;
}

/** `a, b, c and 7 more`, to keep the line short. `most`: how many are named. */
export function firstFew(names: readonly string[], most = 5): string {
  const more = names.length - most;
  return more > 0 ? `${names.slice(0, most).join(', ')} and ${more} more` : names.join(', ');
}

/** `1 app`, `2 processes`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : noun.endsWith('s') ? 'es' : 's'}`;
}
