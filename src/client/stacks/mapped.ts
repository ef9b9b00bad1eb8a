// Maps calls in the record of a death, or in the details of an error, to the sources. The daemon does not: maps can be large, and are files
// of the app.
import type { DeathFrame } from '../../ipc/records/deaths.ts';
import type { DeathView } from '../../ipc/views.ts';
import { NsvError } from '../../shared/errors.ts';
import { SourceMaps } from './source-maps.ts';

/** Returns a function that maps the stacks of a record. Files that have changed since the death are not mapped. */
export function mappedDeath(): (death: DeathView) => DeathView {
  const maps = new SourceMaps();
  return (death) => {
    const { error, stack, at } = death;
    const mapped = (frames: readonly DeathFrame[]) => frames.map((frame) => mappedFrame(maps, frame, at));
    return { ...death, error: error && { ...error, frames: mapped(error.frames) }, stack: stack && mapped(stack) };
  };
}

/** `at`: when the call was current, in milliseconds since 1970. */
function mappedFrame(maps: SourceMaps, frame: DeathFrame, at: number): DeathFrame {
  const { function: functionName, file: url, line, column } = frame;
  if (line === null) return frame;
  const position = { functionName, url, line: line - 1, column: column === null ? undefined : column - 1 };
  const found = maps.frameOf(position, at);
  return found.line === line && found.file === url ? frame : { ...found, column: null };
}

const call = /^at (?:(.+) \()?(.+?):(\d+)(?::(\d+))?\)?$/;

export function mappedFailure(error: NsvError): NsvError {
  const maps = new SourceMaps();
  const details = (error.details ?? []).map((text) => {
    const [, functionName = '', url, line, column] = call.exec(text) ?? [];
    if (url === undefined) return text;
    const at = column === undefined ? undefined : Number(column) - 1;
    const frame = maps.frameOf({ functionName, url, line: Number(line) - 1, column: at });
    const place = `${frame.file}:${frame.line}`;
    return `at ${functionName === '' ? place : `${functionName} (${place})`}`;
  });
  return new NsvError({ ...error.toJSON(), details }, { cause: error.cause });
}
