// Maps the calls in the details of an error to the sources.
import { NsvError } from '../../shared/errors.ts';
import { SourceMaps } from './source-maps.ts';

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
