// What the helper program is to do, given as its argument, and what it answers.

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
