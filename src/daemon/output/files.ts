// Names the log files of an instance.
import { join } from 'node:path';
import { inFileName } from '../../config/app-name.ts';
import type { AppSpec } from '../../config/app-spec.ts';
import { copyFile, ownFile } from '../../config/logs.ts';
import { isDevice, standardDescriptor } from '../../shared/log-file.ts';
import type { Outlet, Streams } from './streams.ts';

type Settings = Pick<AppSpec, 'name' | 'outFile' | 'errorFile' | 'logFile' | 'mergeLogs' | 'instances' | 'execMode'>;

interface LogFiles {
  outFile: string;
  errorFile: string;
  /** The common file, if lines are copied to it. */
  logFile?: string;
}

/**
 * `logs/<name>-<slot>-out.log` and `-err.log`; without the slot if `mergeLogs` is set. In a file name given by the
 * user, the slot goes before the extension if a number of instances was asked for, even 1, as in PM2; not if the logs are
 * merged, or the file is the common one of all instances or a device such as /dev/null.
 */
export function logFiles(spec: Settings, slot: number, logs: string): LogFiles {
  const owner = spec.mergeLogs ? inFileName(spec.name) : `${inFileName(spec.name)}-${slot}`;
  const fileOf = (given: string | undefined, kind: string) =>
    named(ownFile(given, spec), spec, slot) ?? spec.logFile ?? join(logs, `${owner}-${kind}.log`);
  const copy = copyFile(spec);
  return {
    outFile: fileOf(spec.outFile, 'out'),
    errorFile: fileOf(spec.errorFile, 'err'),
    ...(copy !== undefined && { logFile: copy }),
  };
}

/**
 * Of a daemon with an output (`hasOutput`), apps inherit what they are told to log to by a name such as /dev/stdout; of any other, the
 * lines go to the usual files, and are not lost.
 */
export function outletsOf(
  spec: Settings,
  slot: number,
  logs: string,
  hasOutput: boolean,
): Pick<Streams, 'outFile' | 'errorFile' | 'logFile'> {
  const own = (file: string | undefined) => (standardDescriptor(file) === undefined ? file : undefined);
  const [outFile, errorFile, logFile] = [own(spec.outFile), own(spec.errorFile), own(spec.logFile)];
  const files = logFiles({ ...spec, outFile, errorFile, logFile }, slot, logs);
  if (!hasOutput) return files;
  const inherited = (given: string | undefined): Outlet | undefined =>
    standardDescriptor(ownFile(given, spec) ?? spec.logFile);
  return {
    ...files,
    outFile: inherited(spec.outFile) ?? files.outFile,
    errorFile: inherited(spec.errorFile) ?? files.errorFile,
  };
}

/** For apps whose home is somebody else's by now: only the files outside of it that the user has named. */
export function logFilesElsewhere(spec: Settings, slot: number): Omit<LogFiles, 'logFile'> {
  const { outFile = '/dev/null', errorFile = '/dev/null' } = spec;
  // Nothing is copied: the formatter is in the home.
  const { logFile: _, ...files } = logFiles({ ...spec, outFile, errorFile }, slot, '/');
  return files;
}

function named(file: string | undefined, settings: Settings, slot: number): string | undefined {
  const { mergeLogs, instances, execMode } = settings;
  const isNumbered = !mergeLogs && (instances > 1 || execMode === 'cluster');
  if (file === undefined || !isNumbered || isDevice(file)) return file;
  return file.replace(/(\.[^./]*)?$/, (extension) => `-${slot}${extension}`);
}
