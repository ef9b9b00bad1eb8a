// Writes a config file where the user wants it.
import { existsSync, writeFileSync } from 'node:fs';
import { detailOf, failure } from '../../shared/errors.ts';

/** Throws FILE_EXISTS, CANNOT_WRITE. `mode`: of a new file. Default: as the umask has it. */
export function writeConfig(
  file: string,
  text: string,
  { force, mode = 0o666 }: { force: boolean; mode?: number },
): void {
  if (existsSync(file) && !force) throw failure('FILE_EXISTS', { file });
  try {
    writeFileSync(file, text, { mode });
  } catch (cause) {
    throw failure('CANNOT_WRITE', { file, detail: detailOf(cause) }, { cause });
  }
}
