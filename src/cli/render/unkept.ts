// Explains why a process has no log files.
import type { LogFilesView } from '../../ipc/views.ts';

/** Whether what is written there can be read again. */
export function isKept(file: string | null): file is string {
  return file !== null && file !== '/dev/null';
}

/** Why nothing that a process prints is kept; undefined if something is. */
export function whyUnkept(view: LogFilesView): string | undefined {
  return isKept(view.outFile) || isKept(view.errorFile) ? undefined : unkeptReason(view);
}

export function unkeptReason({ outFile }: LogFilesView): string {
  if (outFile !== null) return 'its output goes to /dev/null';
  return 'nsv passes its output through: see "docker logs", "journalctl", or wherever the output of nsv goes';
}
