// The hottest functions of a profile as a table.
import type { HotFunction, Hottest } from '../../profile/hottest.ts';
import { renderSize } from '../../shared/units.ts';
import type { Paint } from './paint.ts';
import { harmless } from './text.ts';
import { cutTo, padTo, widthOf } from './width.ts';

const origins: Record<HotFunction['origin'], string> = {
  app: 'app',
  package: 'node_modules',
  node: 'node',
  engine: 'v8',
};

/** `cwd`: files below it are shown relative to it. */
export function renderHottest({ unit, busy, idle, functions }: Hottest, cwd: string, paint: Paint): string {
  const amount = unit === 'bytes' ? renderSize : timeText;
  const whole = busy + idle;
  const head =
    unit === 'bytes'
      ? `${renderSize(busy)} allocated meanwhile and still in use, by sampling`
      : `busy ${percent(whole > 0 ? busy / whole : 0)} of ${timeText(whole)}`;
  if (functions.length === 0) return head;
  const titles = ['share', 'self', 'total', 'of', 'function', 'where'];
  const rows = functions.map((each) => [
    percent(each.share),
    amount(each.self),
    amount(each.total),
    origins[each.origin],
    cutTo(harmless(each.name), 40),
    harmless(placeOf(each, cwd)),
  ]);
  const widths = titles.map((title, at) => Math.max(...[title, ...rows.map((cells) => cells[at]!)].map(widthOf)));
  const line = (cells: string[]) =>
    cells.map((cell, at) => padTo(cell, widths[at]!, at < 3 ? 'right' : 'left')).join('  ');
  const painted = rows.map((cells, at) => paint(functions[at]!.origin === 'app' ? 'plain' : 'faint', line(cells)));
  return [head, '', paint('key', line(titles)), ...painted].map((text) => text.trimEnd()).join('\n');
}

function placeOf({ file, line }: HotFunction, cwd: string): string {
  if (file === null) return '';
  const path = file.startsWith(`${cwd}/`) ? file.slice(cwd.length + 1) : file;
  return line === null ? path : `${path}:${line}`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}

/** Of microseconds. */
function timeText(time: number): string {
  return time < 1_000_000 ? `${(time / 1_000).toFixed(1)}ms` : `${(time / 1_000_000).toFixed(2)}s`;
}
