// Keeps the event loop alive in place of a missing socket. The IPC channel alone does not.

/** Saved, because an app may replace the globals, for example with fake timers. */
const { setInterval, clearInterval } = globalThis;

const longest = 0x7fffffff;

export class KeepAlive {
  readonly #timer = setInterval(() => {}, longest);

  ref(): void {
    this.#timer.ref();
  }

  unref(): void {
    this.#timer.unref();
  }

  release(): void {
    clearInterval(this.#timer);
  }
}
