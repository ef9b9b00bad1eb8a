// What becomes a process's standard output and standard error: log files that are opened for it, or what is there.
import { closeSync } from 'node:fs';
import { openLog } from '../../shared/log-file.ts';
import type { Outlet } from '../output/streams.ts';

/** As `spawn` takes it. */
type Target = number | 'pipe';

/** Lends the descriptors to `use` and closes what it has opened, whatever comes of it. One file for both is opened once. */
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
