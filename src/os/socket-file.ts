// Unix sockets as files: listening privately, connecting, and paths that are too long for the system.
import { closeSync, constants, openSync } from 'node:fs';
import { createConnection, type Server, type Socket } from 'node:net';
import { basename, dirname } from 'node:path';
import { realClock } from '../shared/clock.ts';
import { errnoOf } from '../shared/errno.ts';

const isLinux = process.platform === 'linux';
/** Bytes that fit into sun_path beside its final NUL. */
const longestPath = isLinux ? 107 : 103;
/** How soon a full backlog is tried again. */
const backlogPause = 20;

interface SocketAddress {
  /** A name of the file that is short enough for bind(2) and connect(2). */
  path: string;
  /** The name is good until this is called. */
  release(): void;
}

/** Listens on `file` with mode 0600. Rejects with the system's error, such as EADDRINUSE. */
export function listenPrivately(server: Server, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const address = addressOf(file);
    const failed = (error: Error) => {
      address.release();
      reject(error);
    };
    server.once('error', failed);
    server.once('listening', () => {
      server.off('error', failed);
      // Not before: closing a server unlinks its socket by the name that it was bound to.
      server.once('close', address.release);
      resolve();
    });
    listenUnmasked(server, address.path);
  });
}

/** Listens on a socket that another process has bound and listens on too. Rejects with the system's error. */
export function listenOn(server: Server, fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ fd }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** The socket of a server as `child.send` passes it on without listening on it at the other end. */
export function socketOf(server: Server): { readonly fd: number } {
  return (server as Server & { _handle: { readonly fd: number } })._handle;
}

/** Connects to `file`, for at most `patience` milliseconds while its backlog is full. Rejects with the system's error. */
export async function dial(file: string, patience: number): Promise<Socket> {
  const deadline = realClock.now() + patience;
  for (;;) {
    try {
      return await dialOnce(file);
    } catch (error) {
      // Linux does not let a non-blocking connect wait for room in the backlog.
      if (errnoOf(error) !== 'EAGAIN' || realClock.now() > deadline) throw error;
    }
    await new Promise<void>((resolve) => realClock.after(backlogPause, resolve));
  }
}

/** Whether a living process listens on `file`. A busy one whose backlog is full lives too. */
export async function isAnswered(file: string): Promise<boolean> {
  try {
    (await dialOnce(file)).destroy();
    return true;
  } catch (error) {
    return !meansNobody(error);
  }
}

/** Whether an error of `dial` says that there is no socket, or a stale one. */
export function meansNobody(error: unknown): boolean {
  return ['ENOENT', 'ECONNREFUSED'].includes(errnoOf(error) ?? '');
}

function dialOnce(file: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const address = addressOf(file);
    const socket = createConnection(address.path);
    socket.once('error', (error) => {
      address.release();
      reject(error);
    });
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      address.release();
      resolve(socket);
    });
  });
}

/** The mode must be right from the first moment, and bind(2) takes it from the umask; listen() binds before it returns. */
function listenUnmasked(server: Server, path: string): void {
  const before = process.umask(0o177);
  try {
    server.listen(path);
  } finally {
    process.umask(before);
  }
}

/** Linux can name any directory by an open descriptor, whatever its length. An abstract name, with a NUL first, is no path. */
function addressOf(file: string): SocketAddress {
  if (file.startsWith('\0') || Buffer.byteLength(file) <= longestPath) return { path: file, release: () => undefined };
  if (!isLinux) throw new Error(`the path of a socket may have ${longestPath} bytes here, and "${file}" is longer`);
  const directory = openSync(dirname(file), constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: `/proc/self/fd/${directory}/${basename(file)}`, release: () => closeSync(directory) };
}
