// How the app takes part in its end. Without nsv, the handlers of signals are installed with the first use.
import type { Beacon, ShutdownHandler, ShutdownOptions } from '../../app/index.cjs';
import { shared } from './shared.ts';
import { ending } from './shutdown/ending.ts';
import { Sequence } from './shutdown/sequence.ts';

/** Those by which a person, a container runtime and nsv ask a process to end. */
const signals = ['SIGTERM', 'SIGINT'] as const;

function sequence(): Sequence {
  const own = shared('shutdown', () => new Sequence());
  ending().join(own, signals);
  return own;
}

export function onShutdown(handler: ShutdownHandler, options?: ShutdownOptions): () => void {
  return sequence().add(handler, options);
}

export function beacon(context?: unknown): Beacon {
  return sequence().light(context);
}

/**
 * A beacon that is told when there is no more time for it; then it is no fault that it is still alive. For `nsv/queue`. Returns how to end
 * it.
 */
export function workInProgress(context: unknown, cut: () => void): () => void {
  return sequence().light(context, cut).die;
}

export function shutdownSignal(): AbortSignal {
  return sequence().signal;
}

export function setShutdownTimeout(ms: number): void {
  sequence().limitTo(ms);
}

export function shutdown(reason = 'the app asked for it'): void {
  sequence();
  ending().shutdown(String(reason));
}

export function isShuttingDown(): boolean {
  ending().attach();
  return ending().hasBegun;
}
