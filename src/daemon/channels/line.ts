// The line of the daemon to one process, over one channel after another: a process that has lost its channel because
// its daemon or its broker has died connects again.
import type { Channel, ChannelListener, Send } from '../../channels/channel.ts';

/** Messages kept for a process that is expected to connect again. Further ones are not sent. */
const mostKept = 256;

export class HelperLink {
  readonly #listener: ChannelListener;
  #channel: Channel | undefined;
  #isAwaited: boolean;
  #isCutOff = false;
  /** The first message, which tells the process what it must always know. */
  #greeting: object | string | undefined;
  #kept: Parameters<Send>[] = [];

  /** `isAwaited`: the process will connect; what is sent before waits for that. */
  constructor(listener: ChannelListener, isAwaited: boolean) {
    this.#listener = listener;
    this.#isAwaited = isAwaited;
  }

  /** Whether the process is expected to connect. */
  get isAwaited(): boolean {
    return this.#isAwaited;
  }

  /** Uses another channel from now on. Returns false if the process has lost its channel by what it sent. */
  attach(channel: Channel): boolean {
    if (this.#isCutOff) return false;
    const before = this.#channel;
    before?.close();
    this.#channel = channel;
    this.#isAwaited = false;
    channel.listener = {
      message: (...onMessage) => this.#listener.message(...onMessage),
      cutOff: (reason) => {
        this.#isCutOff = true;
        this.#listener.cutOff(reason);
      },
    };
    channel.onceClosed((isLost) => {
      if (channel !== this.#channel) return;
      this.#isAwaited = isLost && !this.#isCutOff;
      if (isLost) this.#listener.lost?.();
    });
    // It may have been lost with the previous channel. A process may get it twice.
    if (before && this.#greeting !== undefined) channel.send(this.#greeting);
    for (const message of this.#kept.splice(0)) channel.send(...message);
    return true;
  }

  send: Send = (message, handle, done) => {
    this.#greeting ??= message;
    if (this.#channel?.isOpen) return this.#channel.send(message, handle, done);
    // A socket is of use only now, so another process gets it.
    if (!this.#isAwaited || handle || this.#kept.length >= mostKept) return false;
    this.#kept.push([message, handle, done]);
    return true;
  };
}
