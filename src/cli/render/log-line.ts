// One line of an app's output, as `nsv logs` shows it.
import type { Paint } from './paint.ts';
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

/** The line itself is passed on as it is, with the app's own colours. */
export function createLogLine(format: LogFormat, origins: readonly LogOrigin[], paint: Paint): LogLine {
  if (format === 'raw') return (_, line) => line;
  if (format === 'json') return (origin, line) => JSON.stringify({ ...origin, line });
  const width = Math.max(0, ...origins.map((origin) => label(origin).length));
  return (origin, line) => {
    const prefix = label(origin).padEnd(width);
    return `${paint(origin.stream === 'err' ? 'bad' : 'good', `${prefix} |`)} ${line}`;
  };
}

function label({ id, name, slot }: LogOrigin): string {
  return [id, printable(name), ...(slot === null ? [] : [slot])].join('|');
}
