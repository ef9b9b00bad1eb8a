// One line of an app's output, as `nsv logs` shows it.
import { hues, type Paint } from './paint.ts';
import { printable } from './text.ts';

export interface LogOrigin {
  id: number;
  name: string;
  /** Null where the instances of an app share the file. */
  slot: number | null;
  stream: 'out' | 'err';
}

export type LogFormat = 'prefixed' | 'raw' | 'json';
export type LogLine = (origin: LogOrigin, line: string) => string;

/**
 * The line itself is passed on as it is, with the app's own colours. Each app has a colour before it, standard error a red
 * bar. `origins`: those known by now; what comes later may make the prefix wider.
 */
export function createLogLine(format: LogFormat, origins: readonly LogOrigin[], paint: Paint): LogLine {
  if (format === 'raw') return (_, line) => line;
  if (format === 'json') return (origin, line) => JSON.stringify({ ...origin, line });
  const names = [...new Set(origins.map(({ name }) => name))];
  let width = Math.max(0, ...origins.map((origin) => label(origin).length));
  return (origin, line) => {
    if (!names.includes(origin.name)) names.push(origin.name);
    const hue = hues[names.indexOf(origin.name) % hues.length]!;
    const prefix = label(origin);
    width = Math.max(width, prefix.length);
    return `${paint(hue, prefix.padEnd(width))} ${paint(origin.stream === 'err' ? 'bad' : hue, '|')} ${line}`;
  };
}

function label({ id, name, slot }: LogOrigin): string {
  return [id, printable(name), ...(slot === null ? [] : [slot])].join('|');
}
