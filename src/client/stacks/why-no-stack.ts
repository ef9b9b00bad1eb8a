// Whether a blocked process can be asked for its stack by its inspector. Pure.
import type { ThreadStanding } from '../../os/blocked/standing.ts';

interface Asked {
  /** SIGUSR1 opens its inspector, and the app does not want the signal for itself. */
  attachable: boolean;
  startTime: number | null;
}

/** The reason why it is not to be asked; undefined if it can be. */
export function whyNoStack({ attachable, startTime }: Asked, kernel: ThreadStanding | undefined): string | undefined {
  if (!kernel || startTime === null) return 'the system does not say what it does';
  const { state, waitsIn, children } = kernel;
  if (state.toUpperCase() === 'T') return 'it is stopped';
  if (state !== 'R' && !waitsIn?.startsWith('futex')) {
    if (children.length > 0) return 'it probably waits for a child process';
    if (waitsIn !== null) return 'it waits in the kernel, outside of JavaScript';
  }
  return attachable ? undefined : 'its inspector is in use or cannot be opened from outside';
}
