// `--log` of the command line and `log_file` of a config file.
import type { AppSettings } from './app-spec.ts';

type LogSettings = Pick<AppSettings, 'outFile' | 'errorFile' | 'mergeLogs'>;

/** One file for both outputs of all instances, where nothing else is given. Without effect if both outputs have another file. */
export function withCommonLog<T extends LogSettings>(file: string | undefined, given: T): T {
  const hasNone = given.outFile !== undefined && given.errorFile !== undefined;
  return file === undefined || hasNone ? given : { outFile: file, errorFile: file, mergeLogs: true, ...given };
}
