// Detects promise rejections that a listener of the app takes. Node tells nobody else about them.
//
// A listener of nsv's own would make the app's look like one of two, and would swallow rejections once the app removes
// its own. So `process.emit` is wrapped, but only in apps that have such a listener.

/** Calls `failed` before the listeners of the app. */
export function watchRejections(failed: () => void): void {
  if (process.listenerCount('unhandledRejection') > 0) {
    wrapEmit(failed);
    return;
  }
  const added = (event: string | symbol) => {
    if (event !== 'unhandledRejection') return;
    process.off('newListener', added);
    wrapEmit(failed);
  };
  process.on('newListener', added);
}

function wrapEmit(failed: () => void): void {
  const { emit } = process;
  const value = function (this: typeof process, ...args: [string, ...unknown[]]): boolean {
    if (args[0] === 'unhandledRejection' && this.listenerCount('unhandledRejection') > 0) failed();
    return Reflect.apply(emit, this, args);
  };
  Object.defineProperty(process, 'emit', { value, configurable: true, writable: true, enumerable: false });
}
