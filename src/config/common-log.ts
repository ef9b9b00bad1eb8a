// The common log file: `log_file` of a config file, `--log` of the command line. It gets both outputs of all instances.
import type { AppSpec } from './app-spec.ts';

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
