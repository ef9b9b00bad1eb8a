// Renders log lines: as text with a prefix, or as JSON. Pure.
import type { LineFormat } from '../config/logs.ts';
import { dateFormatter } from '../shared/date-format.ts';

/** The source of the lines. */
export interface LineOrigin {
  app: string;
  slot: number;
  pid: number;
  level: 'out' | 'err';
}

export interface LineRenderer {
  /** Encoding of the rendered text. latin1 maps bytes to characters and back, which preserves invalid UTF-8. */
  readonly encoding: 'latin1' | 'utf8';
  /**
   * Renders one or more lines, separated by newlines and without one at the end, to text that ends with a newline.
   * `time` is in milliseconds since 1970. In JSON, an incomplete line (`isPiece`) is marked as such.
   */
  render(lines: Buffer, time: number, isPiece: boolean): string;
}

export function createRenderer(format: LineFormat, origin: LineOrigin): LineRenderer {
  return format.json ? jsonRenderer(format, origin) : textRenderer(format, origin);
}

function textRenderer({ date, prefix }: LineFormat, { app, slot }: LineOrigin): LineRenderer {
  const name = prefix ? `${app}|${slot} | ` : '';
  const written = date === null ? () => '' : dateFormatter(date);
  const head = remembered((time) => {
    const before = date === null ? name : `${written(time)}: ${name}`;
    return Buffer.from(before).toString('latin1');
  });
  return {
    encoding: 'latin1',
    render(lines, time) {
      const before = head(time);
      return `${before}${lines.toString('latin1').split('\n').join(`\n${before}`)}\n`;
    },
  };
}

function jsonRenderer({ date, merge }: LineFormat, { level, ...origin }: LineOrigin): LineRenderer {
  const written = date === null ? (time: number) => new Date(time).toISOString() : dateFormatter(date);
  const fields = remembered((time) => {
    const all = { time: written(time), level, ...origin };
    return Object.entries(all).map(([key, value]) => [key, `"${key}":${JSON.stringify(value)}`] as const);
  });
  const head = remembered((time) => `{${allOf(fields(time))},"message":`);

  function merged(line: string, time: number): string | undefined {
    const own = merge ? objectIn(line) : undefined;
    if (!own) return undefined;
    const missing = allOf(fields(time).filter(([key]) => !Object.hasOwn(own, key)));
    // Not JSON.stringify(own), which would change numbers that JavaScript cannot represent.
    const rest = line.trim().slice(1);
    return `{${missing}${missing !== '' && Object.keys(own).length > 0 ? ',' : ''}${rest}\n`;
  }

  return {
    encoding: 'utf8',
    render(lines, time, isPiece) {
      const before = head(time);
      const after = isPiece ? ',"partial":true}\n' : '}\n';
      let text = '';
      for (const line of lines.toString().split('\n')) {
        text +=
          merged(line, time) ?? `${before}${JSON.stringify(line.endsWith('\r') ? line.slice(0, -1) : line)}${after}`;
      }
      return text;
    },
  };
}

function allOf(fields: (readonly [string, string])[]): string {
  return fields.map(([, text]) => text).join(',');
}

function objectIn(line: string): object | undefined {
  if (!/^\s*\{/.test(line)) return undefined;
  try {
    return JSON.parse(line) as object;
  } catch {
    return undefined;
  }
}

/** Caches the last result: thousands of lines may be read in one millisecond. */
function remembered<T>(make: (time: number) => T): (time: number) => T {
  let last: { time: number; value: T } | undefined;
  return (time) => {
    if (last?.time !== time) last = { time, value: make(time) };
    return last.value;
  };
}
