// What is to be done with the lines of an app on their way to its log.
import { isoFormat } from '../shared/date-format.ts';
import type { AppSpec } from './app-spec.ts';

export interface LineFormat {
  json: boolean;
  /** Whether a line that is a JSON object itself is taken for one. */
  merge: boolean;
  /** Null: no time, or in JSON the usual one. */
  date: string | null;
  /** Whether name and slot are put before a line of text. */
  prefix: boolean;
}

type Settings = Pick<AppSpec, 'time' | 'logDateFormat' | 'logPrefix' | 'logType' | 'logMergeJson'>;

/** Undefined where lines are to stay as they are printed: then nobody needs to touch them. */
export function lineFormatOf({
  time,
  logDateFormat,
  logPrefix,
  logType,
  logMergeJson,
}: Settings): LineFormat | undefined {
  const json = logType === 'json' || logMergeJson;
  const date = logDateFormat ?? (time && !json ? isoFormat : null);
  if (!json && date === null && !logPrefix) return undefined;
  return { json, merge: logMergeJson, date, prefix: logPrefix };
}
