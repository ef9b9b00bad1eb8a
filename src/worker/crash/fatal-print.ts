// Prints an error as Node does when it is fatal. The source line above it is found by `throw-site.ts`.
import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { inspect } from 'node:util';
import { throwSiteOf } from './throw-site.ts';

/** One line for the daemon. */
export function summaryOf(error: unknown): string {
  try {
    return String(error).split('\n')[0] ?? '';
  } catch {
    return typeof error;
  }
}

export function printFatal(error: unknown, fromPromise: boolean): void {
  const { version } = process;
  const footer = hidesFooter() ? '' : `\nNode.js ${version}\n`;
  try {
    write(`${isObject(error) ? renderObject(error, fromPromise) : renderValue(error)}${footer}`);
  } catch {
    // Standard error is closed: nobody to tell.
  }
}

function renderObject(error: object, fromPromise: boolean): string {
  const isThrown = 'stack' in error && typeof error.stack === 'string';
  const site = isThrown ? throwSiteOf(error as Error, fromPromise) : undefined;
  enhance(error);
  return `${site ? `${site}\n` : isThrown ? '' : '\n'}${inspected(error)}\n`;
}

/** What was thrown is no error, so it does not say where. */
function renderValue(value: unknown): string {
  return `\n${String(value)}\n(Use \`node --trace-uncaught ...\` to show where the exception was thrown)\n`;
}

/** 'error' events without a listener: their errors know a second place. */
function enhance(error: object): void {
  const symbol = Object.getOwnPropertySymbols(error).find((key) => key.description === 'kEnhanceStackBeforeInspector');
  const more = symbol && Reflect.get(error, symbol);
  if (typeof more !== 'function') return;
  try {
    Reflect.set(error, 'stack', more());
  } catch {
    // It goes without, as in Node.
  }
}

function inspected(error: object): string {
  const { depth, colors } = inspect.defaultOptions;
  try {
    return inspect(error, {
      colors: isColored() || (colors ?? false),
      customInspect: false,
      depth: depth === null ? null : Math.max(depth ?? 2, 5),
    });
  } catch {
    return String((error as Error).stack);
  }
}

/** As Node: where standard error is a terminal that has colours. */
function isColored(): boolean {
  return isatty(2) && process.stderr.hasColors?.();
}

function hidesFooter(): boolean {
  const option = '--no-extra-info-on-fatal-exception';
  return process.execArgv.includes(option) || Boolean(process.env.NODE_OPTIONS?.includes(option));
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Node writes it past `process.stderr`, and at once. */
function write(text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(2, rest));
    } catch (error) {
      // A pipe that is full for now.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}
