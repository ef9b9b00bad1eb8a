// Keeps the event loop alive in place of a socket that is not there: the IPC channel by itself does not.

/** Saved: an app may replace the globals, with fake timers for instance. */
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
