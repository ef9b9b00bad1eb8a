// The code by which a blocked process tells its stack, wherever V8 looks for interrupts. Its inspector runs it.
import { mostFrames } from './report.ts';
import type { Position } from './source-maps.ts';

const notStack = 'it answered with something else than a stack';

/** Without the two calls of its own. The app's settings for stacks are put back at once. */
export const stackQuestion = `(() => {
  const { prepareStackTrace, stackTraceLimit } = Error;
  try {
    Error.stackTraceLimit = ${mostFrames};
    Error.prepareStackTrace = (_, sites) => sites.slice(2).map((site) =>
      [site.getFunctionName() ?? '', site.getFileName() ?? '', site.getLineNumber() ?? 0, site.getColumnNumber() ?? 0]);
    return new Error().stack;
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
    Error.stackTraceLimit = stackTraceLimit;
  }
})()`;

/** Throws for anything else: the process runs user code. */
export function positionsIn(value: unknown): Position[] {
  if (!Array.isArray(value) || value.length > mostFrames) throw new Error(notStack);
  return value.map(positionOf);
}

function positionOf(site: unknown): Position {
  const [functionName, url, line, column] = Array.isArray(site) ? site : [];
  if (
    typeof functionName !== 'string' ||
    typeof url !== 'string' ||
    !Number.isInteger(line) ||
    !Number.isInteger(column)
  )
    throw new Error(notStack);
  return { functionName, url, line: line - 1, column: column - 1 };
}
