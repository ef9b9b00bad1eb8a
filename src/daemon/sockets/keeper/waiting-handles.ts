// Reads the handles that wait in one end of an IPC channel whose other end is closed. Node's own channel cannot: it fails to
// send the receipt for the first handle. On Node 20 and 22, libuv moreover reports the end of a stream after the first of
// several messages with handles, if the other end is closed, and has to be asked to read on.
import net from 'node:net';
import type { Handle } from '../../../os/handle.ts';

interface IpcPipe {
  pendingHandle?: Handle | null;
  onread(bytes: ArrayBuffer | undefined): void;
  /** Returns 0, or a negative error number. */
  open(fd: number): number;
  readStart(): number;
  close(): void;
}

type CreateServerHandle = (address: null, port: null, type: null, fd: number) => IpcPipe | number;

/** libuv's type of a pipe that can carry descriptors. */
const ipcType = 2;

/** Calls `read` with the text and the handle of each message, then `ended`. `other`: the descriptor of any Unix socket. */
export function readHandles(
  fd: number,
  other: number,
  read: (text: string, handle: Handle) => void,
  ended: () => void,
) {
  const pipe = createPipe(other);
  let hasRead = false;
  pipe.onread = (bytes) => {
    const handle = pipe.pendingHandle;
    pipe.pendingHandle = null;
    if (bytes && handle) read(Buffer.from(bytes).toString(), handle);
    if (bytes) {
      hasRead = true;
    } else if (hasRead) {
      hasRead = false;
      setImmediate(() => pipe.readStart());
    } else {
      pipe.close();
      ended();
    }
  };
  if (pipe.open(fd) === 0) pipe.readStart();
  else ended();
}

/** Node gives away its class of pipes only with a handle. */
function createPipe(other: number): IpcPipe {
  const { _createServerHandle: create } = net as unknown as { _createServerHandle: CreateServerHandle };
  const handle = create(null, null, null, other);
  if (typeof handle === 'number') throw new Error(`descriptor ${other} is not a socket`);
  return new (handle.constructor as new (type: number) => IpcPipe)(ipcType);
}
