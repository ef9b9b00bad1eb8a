// What a program has printed, out of a log whose lines have a time or a prefix, or are JSON, without colours. Pure.
import { stripVTControlCharacters } from 'node:util';
import type { LineFormat } from '../../../config/line-format.ts';
import { dateFormatter } from '../../../shared/date-format.ts';

/** `format`: undefined if lines are logged as printed. `wall`: about when, in milliseconds since 1970. */
export function plainLines(
  lines: readonly string[],
  format: LineFormat | undefined,
  { app, slot, wall }: { app: string; slot: number; wall: number },
): string[] {
  if (!format) return lines.map(stripVTControlCharacters);
  const name = format.prefix ? `${app}|${slot} | ` : '';
  const head = `${format.date === null ? '' : `${dateFormatter(format.date)(wall)}: `}${name}`;
  const plain = format.json ? messageOf : (line: string) => withoutHead(line, head, name);
  return lines.map((line) => stripVTControlCharacters(plain(line))).filter((line) => line.trim() !== '');
}

/** Most dates of a format are equally long. If this one is not, the line stays as it is, unless it has the name too. */
function withoutHead(line: string, head: string, name: string): string {
  const tail = name === '' ? ': ' : name;
  if (head === '') return line;
  if (line.slice(0, head.length).endsWith(tail) || line.trimEnd() === head.trimEnd()) return line.slice(head.length);
  const at = name === '' ? -1 : line.indexOf(name);
  return at < 0 ? line : line.slice(at + name.length);
}

function messageOf(line: string): string {
  try {
    const { message } = JSON.parse(line) as { message?: unknown };
    return typeof message === 'string' ? message : line;
  } catch {
    return line;
  }
}
