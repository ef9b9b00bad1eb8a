// Renders the value of a setting as a user would write it.
import type { Field } from '../../config/options/field.ts';
import { fields } from '../../config/options/fields.ts';
import { duration, type ListenAddress, limit, sizeOrNone } from '../../config/options/parsers.ts';
import { type Probe, probeText } from '../../config/options/probe.ts';
import { renderSize } from '../../shared/units.ts';

/** Empty for undefined or null. */
export function settingText(row: Field<unknown>, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map((item) => itemText(item)).join(',');
  if (row.parse === fields.readyProbe.parse || row.parse === fields.liveProbe.parse) return probeText(value as Probe);
  if (row.parse === duration) return exactDuration(Number(value));
  if (row.parse === limit && value === Number.MAX_SAFE_INTEGER) return 'unlimited';
  if (row.parse === sizeOrNone) return Number(value) === 0 ? '0' : renderSize(Number(value));
  if ((row.parse === fields.maxMemoryRestart.parse || row.parse === fields.memory.parse) && typeof value === 'number')
    return renderSize(value);
  return String(value);
}

function itemText(item: unknown): string {
  return typeof item === 'object' && item !== null ? addressText(item) : String(item);
}

function addressText({ host, port, path }: ListenAddress): string {
  if (path !== undefined) return path;
  if (host === undefined) return String(port);
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Uses the largest exact unit, so that a setting reads as it was written. */
function exactDuration(ms: number): string {
  const units = [
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1_000],
  ] as const;
  const unit = units.find(([, length]) => ms >= length && ms % length === 0);
  return unit ? `${ms / unit[1]}${unit[0]}` : `${ms}ms`;
}
