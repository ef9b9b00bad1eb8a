// The part that the library `nsv/app` takes in the end of the process, if the app uses it.
import type { ShutdownPart } from '../../ipc/app/bridge.ts';

type Why = Parameters<ShutdownPart['begin']>[0];

let own: ShutdownPart | undefined;
let begun: Why | undefined;
let lastWord = () => {};
/** Until the daemon has said it: its default. */
let killTimeout = 5_000;

export function takePart(part: ShutdownPart): void {
  own = part;
  if (begun) part.begin(begun);
}

/** Undefined if the library has nothing to do at the end. */
export function part(): ShutdownPart | undefined {
  return own?.isUsed() ? own : undefined;
}

/** Calls `tell` right before the process is gone. */
export function tellAtEnd(tell: () => void): void {
  lastWord = tell;
  process.once('exit', tell);
}

/** The process is about to be ended by a signal, so there will be no 'exit'. */
export function sayLastWord(): void {
  lastWord();
}

export function beginPart(why: Why): void {
  begun ??= why;
  own?.begin(why);
}

export function noteKillTimeout(ms: number): void {
  killTimeout = ms;
}

export function killTimeoutKnown(): number {
  return killTimeout;
}
