// The directory of the sockets on which processes of other users connect again: they cannot enter the home. Only root
// can write it and everything above it, so nobody can put another socket there.
import { chmodSync, lstatSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Absent on macOS, where such processes cannot connect again. */
const run = '/run';
/** Others may go through it to a socket that they can name. */
const mode = 0o711;

export class BrokerDirectory {
  readonly #path: string | undefined;

  /** The name is the same for each daemon of the home: a process knows only that of the one that started it. */
  constructor(home: string) {
    const { dev, ino } = statSync(home);
    this.#path = isOnlyRoots(run) ? join(run, `nsv-${dev.toString(36)}-${ino.toString(36)}`) : undefined;
  }

  /** Creates the directory if necessary; undefined where there can be none. */
  addressFor(uid: number): string | undefined {
    if (!this.#path) return undefined;
    try {
      mkdirSync(this.#path);
      // Whatever the umask is.
      chmodSync(this.#path, mode);
    } catch {
      // It is there, or cannot be made.
    }
    return isOnlyRoots(this.#path) ? join(this.#path, `${uid}.sock`) : undefined;
  }

  remove(): void {
    if (this.#path && isOnlyRoots(this.#path)) rmSync(this.#path, { recursive: true, force: true });
  }
}

function isOnlyRoots(path: string): boolean {
  try {
    const stats = lstatSync(path);
    return stats.isDirectory() && stats.uid === 0 && (stats.mode & 0o022) === 0;
  } catch {
    return false;
  }
}
