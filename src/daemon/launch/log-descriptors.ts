// The standard output and standard error of a process: newly opened log files, or existing descriptors.
import { closeSync } from 'node:fs';
import { openLog } from '../../shared/log-file.ts';
import type { Outlet } from '../output/streams.ts';

/** A value for the `stdio` option of `spawn`. */
type Target = number | 'pipe';

/** Passes the descriptors to `use` and then closes those it has opened. A file used for both is opened once. */
export function withLogs<T>(outFile: Outlet, errorFile: Outlet, use: (out: Target, error: Target) => T): T {
  const opened = new Map<Outlet, number>();
  const target = (outlet: Outlet): Target => {
    if (typeof outlet === 'number') return outlet;
    if (typeof outlet === 'function') return 'pipe';
    const fd = opened.get(outlet) ?? openLog(outlet);
    opened.set(outlet, fd);
    return fd;
  };
  try {
    return use(target(outFile), target(errorFile));
  } finally {
    for (const fd of opened.values()) closeSync(fd);
  }
}
