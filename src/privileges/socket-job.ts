// What the helper program is to do (src/socket-helper), given as its argument, and what it answers.
import { lstatSync } from 'node:fs';

export interface SocketJob {
  /** The user and group that it becomes first. */
  uid: number;
  gid: number;
  /** Whether the user is an account of this machine, which may have supplementary groups. */
  hasAccount: boolean;
  /** Octal digits. */
  umask: string;
  path: string;
  /** The socket to remove. If omitted, one is bound. */
  remove?: FileIdentity;
}

/** Which file it is, whatever happens to its path: numbers of the device and the inode. */
export interface FileIdentity {
  dev: string;
  ino: string;
}

/** Throws if there is none. */
export function fileIdentityOf(path: string): FileIdentity {
  const { dev, ino } = lstatSync(path, { bigint: true });
  return { dev: String(dev), ino: String(ino) };
}

export type SocketAnswer =
  /** The bound socket is sent along. */
  { type: 'bound'; file: FileIdentity } | { type: 'failed'; errno: number };

/** Undefined if it is no answer. */
export function parseAnswer(input: unknown): SocketAnswer | undefined {
  const { type, file, errno } = Object(input) as Record<string, unknown>;
  if (type === 'failed' && Number.isInteger(errno) && Number(errno) < 0) return { type, errno: Number(errno) };
  const { dev, ino } = Object(file) as Record<string, unknown>;
  if (type === 'bound' && typeof dev === 'string' && typeof ino === 'string') return { type, file: { dev, ino } };
  return undefined;
}
