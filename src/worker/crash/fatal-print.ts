// Prints a fatal error as Node does. `throw-site.ts` finds the source line above it.
import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { inspect } from 'node:util';
import { throwSiteOf } from './throw-site.ts';

/** Summarises the error in one line for the daemon. */
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
    // Standard error is closed.
  }
}

function renderObject(error: object, fromPromise: boolean): string {
  const isThrown = 'stack' in error && typeof error.stack === 'string';
  const site = isThrown ? throwSiteOf(error as Error, fromPromise) : undefined;
  enhance(error);
  return `${site ? `${site}\n` : isThrown ? '' : '\n'}${inspected(error)}\n`;
}

/** A thrown value that is not an error has no stack to print. */
function renderValue(value: unknown): string {
  return `\n${String(value)}\n(Use \`node --trace-uncaught ...\` to show where the exception was thrown)\n`;
}

/** Errors of 'error' events without a listener have a second stack, of the place that emitted them. */
function enhance(error: object): void {
  const symbol = Object.getOwnPropertySymbols(error).find((key) => key.description === 'kEnhanceStackBeforeInspector');
  const more = symbol && Reflect.get(error, symbol);
  if (typeof more !== 'function') return;
  try {
    Reflect.set(error, 'stack', more());
  } catch {
    // The second stack is left out, as in Node.
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

/** As in Node: colours only if standard error is a terminal that supports them. */
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

/** Writes synchronously and without `process.stderr`, as Node does. */
function write(text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(2, rest));
    } catch (error) {
      // EAGAIN: the pipe is full at the moment.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}
