// Where the lines of an app are logged, and how they are formatted. The common log file (`log_file` of a config file, `--log` of the
// command line) gets both outputs of all instances.
import { isoFormat } from '../shared/date-format.ts';
import type { AppSpec } from './app-spec.ts';

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

type LogSettings = Pick<AppSpec, 'outFile' | 'errorFile' | 'logFile'>;

export const nowhere = '/dev/null';

/** The file that an output has for itself; undefined if it has none, and goes to the common file alone if there is one. */
export function ownFile(file: string | undefined, { logFile }: LogSettings): string | undefined {
  return logFile !== undefined && [nowhere, logFile].includes(file ?? '') ? undefined : file;
}

/**
 * The common file, if an output has a file of its own besides: then its lines are copied. Otherwise undefined, as the app
 * writes to the common file itself.
 */
export function copyFile(settings: LogSettings): string | undefined {
  const { outFile, errorFile, logFile } = settings;
  if (logFile === nowhere) return undefined;
  return [outFile, errorFile].some((file) => ownFile(file, settings) !== undefined) ? logFile : undefined;
}
