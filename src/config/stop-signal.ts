// Which signal asks an app to stop. Pure.

/** `auto`: SIGTERM, or SIGINT if the program handles that one alone. */
export type StopSignal = NodeJS.Signals | 'auto';

/**
 * `otherwise` is used instead if the program handles it, and not the other. `isInterrupted`: whoever asks for the stop has done so by
 * SIGINT.
 */
export function signalsFor(
  setting: StopSignal,
  isInterrupted: boolean,
): { signal: NodeJS.Signals; otherwise?: NodeJS.Signals } {
  if (setting !== 'auto') return { signal: setting };
  return isInterrupted ? { signal: 'SIGINT', otherwise: 'SIGTERM' } : { signal: 'SIGTERM', otherwise: 'SIGINT' };
}
