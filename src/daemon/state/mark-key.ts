// The key of the marks of a home: 16 random bytes, which no app gets to know.
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from '../../shared/crypto/random.ts';
import { errnoOf } from '../../shared/errno.ts';

const bytes = 16;

/**
 * Reads the key, or creates it. If it cannot be kept (a full disk), the daemon goes on with a new one, which `failed` is
 * told: its successor then recognises only processes that are in the state file.
 */
export function markKeyOf(file: string, failed: (error: unknown) => void): Buffer {
  try {
    return keyIn(file) ?? createKey(file);
  } catch (error) {
    failed(error);
    return randomBytes(bytes);
  }
}

/** Undefined if there is no file, or a damaged one. Throws the system's error. */
export function keyIn(file: string): Buffer | undefined {
  try {
    const text = readFileSync(file, 'latin1');
    return new RegExp(`^[\\da-f]{${bytes * 2}}\n$`).test(text) ? Buffer.from(text.trim(), 'hex') : undefined;
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    return undefined;
  }
}

/** If two processes create it at once, the first wins: link(2) does not replace. */
function createKey(file: string): Buffer {
  const key = randomBytes(bytes);
  const draft = `${file}.${randomBytes(8).toString('hex')}`;
  try {
    // Not flushed to the disk: no process outlives a power cut.
    writeFileSync(draft, `${key.toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
    return published(draft, file) ? key : (keyIn(file) ?? replaced(draft, file, key));
  } finally {
    rmSync(draft, { force: true });
  }
}

function published(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    return false;
  }
}

/** For a damaged file. */
function replaced(draft: string, file: string, key: Buffer): Buffer {
  rmSync(file, { force: true });
  linkSync(draft, file);
  return key;
}
