// What the program that looks into a blocked process tells the daemon that has started it: one line of JSON each.
import { array, natural, orNull, record, type Shape, string, variant } from '../../shared/shapes.ts';

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

export const mostFrames = 100;
/** Characters. The app has chosen the names. */
export const longestName = 500;

/** Characters, with the words around a name. */
const longestText = 3 * longestName;
const bounded = string(longestText);

const frame: Shape<ReportedFrame> = record({
  function: bounded,
  file: bounded,
  line: orNull(natural),
  column: orNull(natural),
});

export const parseStackReport: Shape<StackReport> = variant('type', {
  signalled: record({ from: natural }),
  none: record({ problem: bounded }),
  stack: record({ frames: array(frame, mostFrames), at: bounded }),
});
