// What becomes a process's standard output and standard error: log files that are opened for it, or what is there.
import { closeSync, constants, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { detailOf, failure } from '../../shared/errors.ts';
import type { Outlet } from '../output/streams.ts';

const { O_WRONLY, O_APPEND, O_CREAT, O_NOCTTY, O_NONBLOCK } = constants;

/**
 * O_NONBLOCK: a FIFO that nobody reads must fail here instead of stopping the daemon; spawn takes it off again.
 * O_NOCTTY: a terminal named as log file must not become the daemon's own.
 */
const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOCTTY | O_NONBLOCK;

/** As `spawn` takes it. */
type Target = number | 'pipe';

/** Lends the descriptors to `use` and closes what it has opened, whatever comes of it. One file for both is opened once. */
export function withLogs<T>(outFile: Outlet, errorFile: Outlet, use: (out: Target, error: Target) => T): T {
  const opened = new Map<Outlet, number>();
  const target = (outlet: Outlet): Target => {
    if (typeof outlet === 'number') return outlet;
    if (typeof outlet === 'function') return 'pipe';
    const fd = opened.get(outlet) ?? open(outlet);
    opened.set(outlet, fd);
    return fd;
  };
  try {
    return use(target(outFile), target(errorFile));
  } finally {
    for (const fd of opened.values()) closeSync(fd);
  }
}

function open(file: string): number {
  try {
    return openOrCreate(file);
  } catch (cause) {
    throw failure('CANNOT_OPEN_LOG', { file, detail: detailOf(cause) }, { cause });
  }
}

function openOrCreate(file: string): number {
  try {
    return openSync(file, flags, 0o640);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    makeDirectory(dirname(file));
    return openSync(file, flags, 0o640);
  }
}

/**
 * Not with `recursive: true`: where the one above is there and yet nothing can be made in it, as in /proc, Node 20 to 26
 * try again for ever, and the daemon with them.
 */
function makeDirectory(directory: string): void {
  const parent = dirname(directory);
  if (!existsSync(parent)) makeDirectory(parent);
  try {
    mkdirSync(directory, { mode: 0o750 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
