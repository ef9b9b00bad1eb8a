// The ID of a home, part of the marks of its processes. It tells homes apart, and is no secret.
import { readFileSync } from 'node:fs';
import { writeAtomically } from '../../shared/atomic-file.ts';
import { errnoOf } from '../../shared/errno.ts';
import { detailOf, failure } from '../../shared/errors.ts';

/**
 * Creates the ID if there is none. One damaged by a power cut is replaced: it is part of the environment of all child
 * processes, which must not contain zero bytes. Only the holder of the daemon's lock may call it. Throws CANNOT_WRITE.
 */
export function prepareIdentity(file: string): void {
  if (/^[\w-]+$/.test(textOf(file))) return;
  try {
    writeAtomically(file, crypto.randomUUID());
  } catch (cause) {
    throw failure('CANNOT_WRITE', { file, detail: detailOf(cause) }, { cause });
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return '';
    throw error;
  }
}
