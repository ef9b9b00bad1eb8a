// Files with what a process knows: only their user can read them, and they replace nothing.
import { closeSync, fchmodSync, openSync, rmSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { inFileName } from '../../config/app-name.ts';
import type { ProcessView } from '../../ipc/views.ts';
import { realClock } from '../../shared/clock.ts';
import { detailOf, failure } from '../../shared/errors.ts';

/**
 * Returns the size in bytes. Removes the file if `fill` fails, or the command ends before, for example by Ctrl-C. Throws CANNOT_WRITE,
 * also if something of this name exists, be it a link, and like `fill`.
 */
export async function writeNewFile(
  path: string,
  fill: (write: (text: string) => void) => void | Promise<void>,
): Promise<number> {
  // Exclusive: it follows no link, open(2).
  const fd = writing(path, () => openSync(path, 'wx', 0o600));
  const remove = () => rmSync(path, { force: true });
  process.once('exit', remove);
  let size = 0;
  try {
    fchmodSync(fd, 0o600);
    await fill((text) => {
      const bytes = Buffer.from(text);
      writing(path, () => {
        for (let from = 0; from < bytes.length; ) from += writeSync(fd, bytes, from);
      });
      size += bytes.length;
    });
  } catch (error) {
    remove();
    throw error;
  } finally {
    process.off('exit', remove);
    closeSync(fd);
  }
  return size;
}

/** For a file that takes long to make: what cannot be written need not be waited for. Throws CANNOT_WRITE. */
export function expectWritable(path: string): void {
  writing(path, () => closeSync(openSync(path, 'wx', 0o600)));
  rmSync(path);
}

/** Throws CANNOT_WRITE. */
export function writing<T>(file: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    throw failure('CANNOT_WRITE', { file, detail: detailOf(cause) }, { cause });
  }
}

/** `web-0-20261124T023100.cpuprofile` in the user's directory, or the one of `--output`. */
export function pathFor({ name, slot }: ProcessView, ending: string, cwd: string, output: unknown): string {
  if (typeof output === 'string') return resolve(cwd, output);
  const time = new Date(realClock.wall()).toISOString().replaceAll(/[-:]|\..*/g, '');
  return resolve(cwd, `${inFileName(name)}-${slot}-${time}.${ending}`);
}
