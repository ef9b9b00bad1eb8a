// Lets the owner of this process look into it while its event loop is blocked: SIGUSR1 has Node open its inspector, whatever the loop
// does. The daemon has set a flag of Node with which the inspector serves no list of what it inspects, and prints its address on
// standard error only. Here, the flag is hidden, the port is made one that the system chooses, and the daemon learns whether the
// app has a use of its own for the signal.
import { attachFlag } from '../ipc/worker-messages.ts';
import { onReconnected, send } from './channel.ts';

const whenTaken: (() => void)[] = [];
let isOffered = false;
let isFree = true;

/** `words`: those of `execArgv` that the daemon has put first. */
export function offerAttaching(words: readonly string[]): void {
  if (!words.includes(attachFlag)) return;
  isOffered = true;
  process.debugPort = 0;
  process.on('newListener', added);
  // At once, because the app may block itself at once.
  report();
  onReconnected(report);
}

function report(): void {
  send({ type: 'attachable', free: isFree });
}

/** Stays off for good: when its last listener is gone, the signal ends the process instead of opening the inspector. */
function added(event: string | symbol): void {
  if (event !== 'SIGUSR1') return;
  process.off('newListener', added);
  isFree = false;
  report();
  for (const run of whenTaken.splice(0)) run();
}

/** Calls `run` when the signal cannot be used: now, or when the app takes it. */
export function onceNotAttachable(run: () => void): void {
  if (isOffered && isFree) whenTaken.push(run);
  else run();
}
