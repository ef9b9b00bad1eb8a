// How the lines of an app are formatted for its log.
import { isoFormat } from '../shared/date-format.ts';
import type { AppSpec } from './app-spec.ts';
import { copyFile } from './common-log.ts';

export interface LineFormat {
  json: boolean;
  /** Whether a line that is a JSON object is merged into the record. */
  merge: boolean;
  /** Null: no time, or in JSON the default format. */
  date: string | null;
  /** Whether text lines are prefixed with name and slot. */
  prefix: boolean;
}

type Settings = Pick<
  AppSpec,
  'time' | 'logDateFormat' | 'logPrefix' | 'logType' | 'logMergeJson' | 'outFile' | 'errorFile' | 'logFile'
>;

/** Undefined if lines are logged as printed, to one file each: then they bypass the formatter. */
export function lineFormatOf(settings: Settings): LineFormat | undefined {
  const { time, logDateFormat, logPrefix, logType, logMergeJson } = settings;
  const json = logType === 'json' || logMergeJson;
  const date = logDateFormat ?? (time && !json ? isoFormat : null);
  if (!json && date === null && !logPrefix && copyFile(settings) === undefined) return undefined;
  return { json, merge: logMergeJson, date, prefix: logPrefix };
}
