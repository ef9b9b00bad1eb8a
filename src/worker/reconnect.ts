// Keeps the IPC channel alive across daemon deaths. When the pipe under Node's channel ends because the daemon died, it
// is replaced with a pipe to the next daemon. Neither Node nor the app notices: `process.connected` stays true,
// 'disconnect' is not emitted, and messages sent in between arrive later.
import { closeSync, constants, openSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { KeepAlive } from './keep-alive.ts';
import {
  acknowledgeHandle,
  channelPipe,
  forgetHalf,
  type IpcPipe,
  type IpcWrite,
  openIpcPipe,
} from './node-channel.ts';

/** Saved, because an app may replace them, for example with fake timers. */
const { setTimeout, setImmediate } = globalThis;

export interface RelayEvents {
  /** The daemon is gone. */
  lost(): void;
  /** Another daemon is connected. Messages sent now arrive before those that were queued. */
  back(): void;
  /** A message is being sent, in its serialized form. */
  sent(text: string): void;
}

/** Milliseconds until the next attempt to connect, doubled after each. */
const firstPause = 20;
const longestPause = 1_000;
/** Messages kept while there is no daemon. Further ones are dropped. */
const mostKept = 256;

/**
 * What the next daemon must not get: receipts for handles that it has not sent, and reports to the previous daemon, which
 * `back` repeats. The process must say first who it is.
 */
const outdated = /^\{"cmd":"NODE_(HANDLE_N?ACK"|NSV","type":"(?!wants-messages"))/;
/** How Node wraps a message that is sent with a handle. */
const wrapped = /^\{"cmd":"NODE_HANDLE",/;

/** `address`: where the next daemon will listen. */
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
  let pause = firstPause;
  let kept: { write: IpcWrite; text: string }[] = [];
  let isReceiptDue = false;

  pipe.writeUtf8String = (write, text, handle) => {
    sent(text);
    const errno = current ? current.writeUtf8String(write, text, handle) : -1;
    if (errno < 0) keep(write, handle ? unwrapped(text) : text);
    if (errno < 0 && handle) isReceiptDue = true;
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

  /** A handle is not kept: the daemon closes those that apps send to it. */
  function keep(write: IpcWrite, text: string): void {
    if (kept.length < mostKept && !outdated.test(text)) kept.push({ write, text });
    setImmediate(() => {
      // Node waits for this callback if the last write of any stream was asynchronous.
      write.oncomplete?.(0);
      giveReceipt();
    });
  }

  /** Until Node has a receipt for a handle, it holds back all further messages. */
  function giveReceipt(): void {
    if (!isReceiptDue) return;
    isReceiptDue = false;
    acknowledgeHandle();
  }

  function leave(from: IpcPipe): void {
    if (from !== current || isClosed) return;
    current = undefined;
    from.close();
    keepAlive = new KeepAlive();
    if (!isRef) keepAlive.unref();
    if (!pipe) return;
    forgetHalf(pipe);
    // A closed pipe does not report its queue size, and then Node tells the app that it sends too fast.
    Object.defineProperty(pipe, 'writeQueueSize', { get: () => current?.writeQueueSize ?? 0, configurable: true });
    lost();
    lookLater();
  }

  /** A daemon that turns this process away is not asked ever more often. */
  function lookLater(): void {
    setTimeout(look, pause).unref();
    pause = Math.min(pause * 2, longestPause);
  }

  function look(): void {
    if (isClosed || !pipe) return;
    const { path, release } = shortened(address);
    openIpcPipe(path, pipe, (opened) => {
      release();
      if (opened) enter(opened);
      else lookLater();
    });
  }

  function enter(opened: IpcPipe): void {
    if (isClosed || !pipe) {
      opened.close();
      return;
    }
    while (isReceiptDue) giveReceipt();
    current = opened;
    opened.onread = (bytes) => {
      if (!bytes) {
        leave(opened);
        return;
      }
      pause = firstPause;
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
    for (const { write, text } of waiting) current.writeUtf8String(write, text, undefined);
  }
}

/** The message that Node has wrapped because it is sent with a handle. */
function unwrapped(text: string): string {
  if (!wrapped.test(text)) return text;
  return `${JSON.stringify((JSON.parse(text) as { msg: unknown }).msg)}\n`;
}

/** The same as in os/socket-file.ts, which must not be loaded here. */
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
