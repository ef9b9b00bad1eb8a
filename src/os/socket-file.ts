// Unix sockets as files: private listening, connecting, and paths that are too long for the system.
import { closeSync, constants, openSync } from 'node:fs';
import { createConnection, type Server, type Socket } from 'node:net';
import { basename, dirname } from 'node:path';
import { pause, realClock } from '../shared/clock.ts';
import { errnoOf } from '../shared/errno.ts';

const isLinux = process.platform === 'linux';
/** Bytes that fit into sun_path besides the final NUL. */
const longestPath = isLinux ? 107 : 103;
/** Milliseconds between attempts while the backlog is full. */
const backlogPause = 20;

interface SocketAddress {
  /** A name of the file that is short enough for bind(2) and connect(2). */
  path: string;
  /** Ends the use of `path`, which is valid until then. */
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
      // Not earlier: a closing server unlinks its socket by the name it was bound to.
      server.once('close', address.release);
      resolve();
    });
    listenUnmasked(server, address.path);
  });
}

/** Listens on a socket that another process has bound and may listen on too. Rejects with the system's error. */
export function listenOn(server: Server, fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ fd }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Connects to `file`. Retries for `timeout` milliseconds if its backlog is full. Rejects with the system's error. */
export async function dial(file: string, timeout: number): Promise<Socket> {
  const deadline = realClock.now() + timeout;
  for (;;) {
    try {
      return await dialOnce(file);
    } catch (error) {
      // On Linux a non-blocking connect fails at once if the backlog is full.
      if (errnoOf(error) !== 'EAGAIN' || realClock.now() > deadline) throw error;
    }
    await pause(realClock, backlogPause);
  }
}

/** Whether a live process listens on `file`. A busy process whose backlog is full counts as alive. */
export async function isAnswered(file: string): Promise<boolean> {
  try {
    (await dialOnce(file)).destroy();
    return true;
  } catch (error) {
    return !meansNobody(error);
  }
}

/** Whether an error of `dial` means that there is no socket file or a stale one. */
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

/** bind(2) takes the mode from the umask, so no other user can connect in between; listen() binds before it returns. */
function listenUnmasked(server: Server, path: string): void {
  const before = process.umask(0o177);
  try {
    server.listen(path);
  } finally {
    process.umask(before);
  }
}

/** On Linux, shortens a path by opening its directory. An abstract name (with a leading NUL) is not a path. */
function addressOf(file: string): SocketAddress {
  if (file.startsWith('\0') || Buffer.byteLength(file) <= longestPath) return { path: file, release: () => undefined };
  if (!isLinux)
    throw new Error(`the path of a socket is limited to ${longestPath} bytes here, and "${file}" is longer`);
  const directory = openSync(dirname(file), constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: `/proc/self/fd/${directory}/${basename(file)}`, release: () => closeSync(directory) };
}
