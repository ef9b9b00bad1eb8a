// The channel to the daemon outlives the daemon. Below Node's own IPC channel lies a pipe: when that ends because the daemon
// has died, another one takes its place, to the next daemon. Node, and with it the app, sees none of this: `process.connected`
// stays true, 'disconnect' is not emitted, and what is sent meanwhile arrives later.
import { closeSync, constants, openSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { KeepAlive } from './keep-alive.ts';
import { channelPipe, forgetHalf, type IpcPipe, type IpcWrite, openIpcPipe } from './node-internals.ts';

/** Saved: an app may replace them, with fake timers for instance. */
const { setTimeout, setImmediate } = globalThis;

export interface RelayEvents {
  /** The daemon is gone. */
  lost(): void;
  /** There is another. What is sent now arrives before what was sent meanwhile. */
  back(): void;
  /** Something is sent, as it is written. */
  sent(text: string): void;
}

/** Milliseconds until the next look for a daemon: twice as long after each. */
const firstPause = 20;
const longestPause = 1_000;
/** What an app sends while there is no daemon is kept, but not without end. */
const mostKept = 256;

/** By which Node says that a handle has come. The next daemon has sent none, and would fall over it. */
const receipt = /^\{"cmd":"NODE_HANDLE_N?ACK"\}/;

/** `address`: where the next daemon listens. */
export function keepChannel(address: string, { lost, back, sent }: RelayEvents): void {
  const pipe = channelPipe();
  if (!pipe) return;
  const { onread } = pipe;
  const first: IpcPipe = {
    writeUtf8String: pipe.writeUtf8String.bind(pipe),
    ref: pipe.ref.bind(pipe),
    unref: pipe.unref.bind(pipe),
    close: pipe.close.bind(pipe),
  };
  let current: IpcPipe | undefined = first;
  let keepAlive: KeepAlive | undefined;
  let isRef = false;
  let isClosed = false;
  let kept: { write: IpcWrite; text: string; handle: unknown }[] = [];

  pipe.writeUtf8String = (write, text, handle) => {
    sent(text);
    const errno = current ? current.writeUtf8String(write, text, handle) : -1;
    if (errno < 0) keep(write, text, handle);
    return 0;
  };
  pipe.ref = () => {
    isRef = true;
    (current ?? keepAlive)?.ref();
  };
  pipe.unref = () => {
    isRef = false;
    (current ?? keepAlive)?.unref();
  };
  pipe.close = (done) => {
    isClosed = true;
    keepAlive?.release();
    if (current) current.close(done);
    else if (done) setImmediate(done);
  };
  pipe.onread = (bytes) => {
    if (bytes) onread.call(pipe, bytes);
    else leave(first);
  };

  function keep(write: IpcWrite, text: string, handle: unknown): void {
    if (kept.length < mostKept && !receipt.test(text)) kept.push({ write, text, handle });
    // Whether it is out counts for Node where the last write of any stream was not at once.
    setImmediate(() => write.oncomplete?.(0));
  }

  function leave(from: IpcPipe): void {
    if (from !== current || isClosed) return;
    current = undefined;
    from.close();
    keepAlive = new KeepAlive();
    if (!isRef) keepAlive.unref();
    if (!pipe) return;
    forgetHalf(pipe);
    // A closed pipe would not say how much is waiting, and Node tells the app that it sends too fast.
    Object.defineProperty(pipe, 'writeQueueSize', { get: () => current?.writeQueueSize ?? 0, configurable: true });
    lost();
    setTimeout(look, firstPause, firstPause).unref();
  }

  function look(pause: number): void {
    if (isClosed) return;
    const { path, release } = shortened(address);
    openIpcPipe(path, (opened) => {
      release();
      if (opened) enter(opened);
      else setTimeout(look, pause, Math.min(pause * 2, longestPause)).unref();
    });
  }

  function enter(opened: IpcPipe): void {
    if (isClosed || !pipe) {
      opened.close();
      return;
    }
    current = opened;
    opened.onread = (bytes) => {
      if (!bytes) {
        leave(opened);
        return;
      }
      pipe.pendingHandle = opened.pendingHandle ?? null;
      opened.pendingHandle = null;
      onread.call(pipe, bytes);
    };
    keepAlive?.release();
    keepAlive = undefined;
    if (isRef) opened.ref();
    else opened.unref();
    opened.readStart?.();
    back();
    const waiting = kept;
    kept = [];
    for (const { write, text, handle } of waiting) current.writeUtf8String(write, text, handle);
  }
}

/** As in os/socket-file.ts, of which nothing may be loaded here. */
function shortened(address: string): { path: string; release(): void } {
  if (process.platform !== 'linux' || Buffer.byteLength(address) <= 107) return { path: address, release() {} };
  try {
    const directory = openSync(dirname(address), constants.O_RDONLY | constants.O_DIRECTORY);
    return {
      path: `/proc/self/fd/${directory}/${basename(address)}`,
      release: () => closeSync(directory),
    };
  } catch {
    return { path: address, release() {} };
  }
}
