// Starts the thread that tells the stack of a blocked main thread, where the daemon cannot attach. It is a bundle of its own.
import { join } from 'node:path';
import { onceNotAttachable } from './attachable.ts';

let isStarted = false;

/** `fd`: the pipe to the daemon. A later daemon has none. */
export function prepareStackThread({ fd, now }: { fd: number; now: boolean }): void {
  if (now) start(fd);
  else onceNotAttachable(() => start(fd));
}

function start(fd: number): void {
  if (isStarted) return;
  isStarted = true;
  const require = process.getBuiltinModule('node:module').createRequire(join(import.meta.dirname, 'preload.js'));
  const { startThread } = require('./watchdog/main.js') as typeof import('./watchdog/main.ts');
  startThread(fd);
}
