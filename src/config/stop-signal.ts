// Which signal asks an app to stop. Pure.

/**
 * `auto`: SIGTERM, or SIGINT if the program handles that one alone. `interrupt`: the other way round; it stands for `auto` once
 * `nsv run` was asked by SIGINT, and is no setting.
 */
export type StopSignal = NodeJS.Signals | 'auto' | 'interrupt';

/** `otherwise` is used instead if the program handles it, and not the other. */
export function signalsFor(setting: StopSignal): { signal: NodeJS.Signals; otherwise?: NodeJS.Signals } {
  if (setting === 'auto') return { signal: 'SIGTERM', otherwise: 'SIGINT' };
  if (setting === 'interrupt') return { signal: 'SIGINT', otherwise: 'SIGTERM' };
  return { signal: setting };
}
