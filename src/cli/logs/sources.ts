// Which files `nsv logs` reads.
import type { ProcessView } from '../../ipc/views.ts';
import type { LogOrigin } from '../render/log-line.ts';

export interface LogSource extends LogOrigin {
  file: string;
}

/** Each file once, though instances may share it (`--merge-logs`), and out and error too (`--log`). */
export function logSources(processes: readonly ProcessView[], streams: readonly LogOrigin['stream'][]): LogSource[] {
  const sources = new Map<string, LogSource>();
  for (const { id, name, slot, outFile, errorFile } of processes) {
    for (const stream of streams) {
      const file = stream === 'out' ? outFile : errorFile;
      if (file === null) continue;
      const before = sources.get(file);
      if (!before) sources.set(file, { id, name, slot, stream, file });
      else if (before.slot !== slot) before.slot = null;
    }
  }
  return [...sources.values()];
}
