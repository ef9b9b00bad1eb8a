// The hottest functions of a profile as a table.
import type { HotFunction, Hottest } from '../../profile/hottest.ts';
import { renderSize } from '../../shared/units.ts';
import type { Paint } from './paint.ts';
import { fillColumns, paintRows, titlesOf, withoutFrames } from './table/cells.ts';
import { harmless } from './text.ts';
import { cutTo } from './width.ts';

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
  const tone = ({ origin }: HotFunction) => (origin === 'app' ? 'plain' : 'faint');
  const filled = fillColumns(functions, [
    { title: 'share', text: ({ share }) => percent(share), tone, align: 'right' },
    { title: 'self', text: ({ self }) => amount(self), tone, align: 'right' },
    { title: 'total', text: ({ total }) => amount(total), tone, align: 'right' },
    { title: 'of', text: ({ origin }) => origins[origin], tone },
    { title: 'function', text: ({ name }) => cutTo(harmless(name), 40), tone },
    { title: 'where', text: (each) => harmless(placeOf(each, cwd)), tone },
  ]);
  const titles = titlesOf(filled).map((title) => paint('key', title));
  return [head, '', withoutFrames([titles, ...paintRows(filled, functions, paint)])].join('\n');
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
