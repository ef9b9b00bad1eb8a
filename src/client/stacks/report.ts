// What the program that looks into a blocked process tells the daemon that has started it: one line of JSON each.

/** A call, with its position in the file that runs: from 1 on. */
export interface ReportedFrame {
  function: string;
  file: string;
  line: number | null;
  column: number | null;
}

export type StackReport =
  /** The process has been told to open its inspector, when its error log had this length. */
  | { type: 'signalled'; from: number }
  /** Innermost first. `at`: the first call of the app, by its source map: `name (file:line)`. */
  | { type: 'stack'; frames: ReportedFrame[]; at: string }
  | { type: 'none'; problem: string };

type Fields = Record<string, unknown>;

export const mostFrames = 100;
/** Characters. The app has chosen the names. */
export const longestName = 500;

/** Throws a TypeError. */
export function parseStackReport(line: string): StackReport {
  const { type, ...fields } = fieldsOf(JSON.parse(line));
  if (type === 'signalled') return { type, from: count(fields.from) };
  if (type === 'none') return { type, problem: text(fields.problem) };
  if (type !== 'stack' || !Array.isArray(fields.frames) || fields.frames.length > mostFrames)
    throw new TypeError('not a report about a stack');
  return { type, frames: fields.frames.map(frameOf), at: text(fields.at) };
}

function frameOf(input: unknown): ReportedFrame {
  const { function: name, file, line, column } = fieldsOf(input);
  const position = (value: unknown) => (value === null ? null : count(value));
  return { function: text(name), file: text(file), line: position(line), column: position(column) };
}

function fieldsOf(input: unknown): Fields {
  if (typeof input === 'object' && input !== null) return input as Fields;
  throw new TypeError('not an object');
}

function count(value: unknown): number {
  if (Number.isSafeInteger(value) && Number(value) >= 0) return value as number;
  throw new TypeError('not a whole number');
}

function text(value: unknown): string {
  if (typeof value === 'string' && value.length <= 3 * longestName) return value;
  throw new TypeError('not a text, or a long one');
}
