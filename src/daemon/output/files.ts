// Names the log files of an instance.
import { join } from 'node:path';
import { inFileName } from '../../config/app-name.ts';
import type { AppSpec } from '../../config/app-spec.ts';
import { isDevice } from '../../shared/log-file.ts';

type Settings = Pick<AppSpec, 'name' | 'outFile' | 'errorFile' | 'mergeLogs' | 'instances'>;

/**
 * `logs/<name>-<slot>-out.log` and `-err.log`; without the slot if `mergeLogs` is set. In a file name given by the
 * user, the slot goes before the extension, unless the logs are merged or the file is a device such as /dev/null.
 */
export function logFiles(spec: Settings, slot: number, logs: string): { outFile: string; errorFile: string } {
  const owner = spec.mergeLogs ? inFileName(spec.name) : `${inFileName(spec.name)}-${slot}`;
  const own = (kind: string) => join(logs, `${owner}-${kind}.log`);
  return {
    outFile: named(spec.outFile, spec, slot) ?? own('out'),
    errorFile: named(spec.errorFile, spec, slot) ?? own('err'),
  };
}

/** For apps whose home is somebody else's by now: only the files outside of it that the user has named. */
export function logFilesElsewhere(spec: Settings, slot: number): { outFile: string; errorFile: string } {
  const { outFile = '/dev/null', errorFile = '/dev/null' } = spec;
  return logFiles({ ...spec, outFile, errorFile }, slot, '/');
}

function named(file: string | undefined, { mergeLogs, instances }: Settings, slot: number): string | undefined {
  if (file === undefined || mergeLogs || instances === 1 || isDevice(file)) return file;
  return file.replace(/(\.[^./]*)?$/, (extension) => `-${slot}${extension}`);
}
