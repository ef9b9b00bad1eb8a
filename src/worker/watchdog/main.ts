// Starts the thread.
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** Megabytes. It holds one stack at a time. */
const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 };

/** Does nothing where no thread can be started. Nobody in the app sees it, and it does not keep the process alive. */
export function startThread(fd: number): void {
  try {
    const thread = new Worker(join(import.meta.dirname, 'thread.js'), {
      workerData: fd,
      // Without the preload, and whatever else the app loads into its threads.
      execArgv: [],
      env: {},
      stdout: true,
      stderr: true,
      resourceLimits,
    });
    thread.on('error', () => {});
    thread.unref();
    hideFromApp(thread);
  } catch {
    // For example, the app runs with --permission.
  }
}

/** Node tells the process of each new thread, in the next tick. */
function hideFromApp(thread: Worker): void {
  const { emit } = process;
  const own = Object.getOwnPropertyDescriptor(process, 'emit');
  const value = function (this: typeof process, ...args: unknown[]): boolean {
    if (args[0] !== 'worker' || args[1] !== thread) return Reflect.apply(emit, this, args) as boolean;
    if ((process.emit as unknown) !== value) return false;
    if (own) Object.defineProperty(process, 'emit', own);
    else Reflect.deleteProperty(process, 'emit');
    return false;
  };
  Object.defineProperty(process, 'emit', { value, configurable: true, writable: true, enumerable: false });
}
