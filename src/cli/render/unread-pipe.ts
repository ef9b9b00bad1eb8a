// Notices that the reader of a pipe is gone without writing to it. The kernel reports that to whoever polls the pipe, but
// Node polls only what it reads, and refuses to read from the write end of a pipe. Its TCP handles do not look: reading
// fails (EBADF) as soon as the pipe has no reader, and not before.
import { closeSync, constants, openSync, readlinkSync } from 'node:fs';
import net from 'node:net';
import { type TcpHandle, tcpHandle } from '../../os/sockets/node-handles.ts';

/**
 * Calls `gone` when nobody has the pipe open for reading any more. Does nothing where that cannot be noticed: if `fd` is no
 * anonymous pipe (a named one may get another reader), on other systems than Linux, or for the pipe of another user.
 */
export function onceUnread(fd: number, gone: () => void): void {
  const handle = pollable(fd);
  if (!handle) return;
  const socket = new net.Socket({ handle, readable: true, writable: false } as net.SocketConstructorOpts);
  socket.on('error', () => {});
  socket.on('close', gone);
  socket.resume();
  socket.unref();
}

/** The pipe is opened once more, because libuv polls no descriptor twice. */
function pollable(fd: number): TcpHandle | undefined {
  const own = opened(fd);
  if (own === undefined) return undefined;
  const handle = tcpHandle();
  if (handle?.open(own) === 0) return handle;
  handle?.close();
  closeSync(own);
  return undefined;
}

function opened(fd: number): number | undefined {
  const path = `/proc/self/fd/${fd}`;
  try {
    if (readlinkSync(path).startsWith('pipe:')) return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // There is no such file, or it may not be opened.
  }
  return undefined;
}
