// Maps the stacks in a record of a death to the sources. The daemon does not: maps can be large, and are files of the app.
import type { DeathFrame } from '../../ipc/records/deaths.ts';
import type { DeathView } from '../../ipc/views.ts';
import { SourceMaps } from './source-maps.ts';

/** Returns a function that maps the stacks of a record. Files that have changed since the death are not mapped. */
export function mappedDeath(): (death: DeathView) => DeathView {
  const mapped = mappedFrames();
  return (death) => {
    const { error, stack, at } = death;
    return {
      ...death,
      error: error && { ...error, frames: mapped(error.frames, at) },
      stack: stack && mapped(stack, at),
    };
  };
}

/** `at`: when the calls were current, in milliseconds since 1970. */
export function mappedFrames(): (frames: readonly DeathFrame[], at: number) => DeathFrame[] {
  const maps = new SourceMaps();
  return (frames, at) => frames.map((frame) => mapped(maps, frame, at));
}

function mapped(maps: SourceMaps, frame: DeathFrame, at: number): DeathFrame {
  const { function: functionName, file: url, line, column } = frame;
  if (line === null) return frame;
  const position = { functionName, url, line: line - 1, column: column === null ? undefined : column - 1 };
  const found = maps.frameOf(position, at);
  return found.line === line && found.file === url ? frame : { ...found, column: null };
}
