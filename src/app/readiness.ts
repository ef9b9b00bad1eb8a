// Whether the app can take work now.
import { bridge } from './bridge.ts';
import { shared } from './shared.ts';
import { isShuttingDown } from './shutdown.ts';

interface Readiness {
  isReady: boolean;
  /** Whether the app has said anything about it. */
  hasSpoken: boolean;
  reason: string;
  waiting: (() => void)[];
}

const state = () =>
  shared<Readiness>('readiness', () => ({ isReady: false, hasSpoken: false, reason: '', waiting: [] }));

export function ready(): void {
  say(true, '');
  for (const resolve of state().waiting.splice(0)) resolve();
}

export function notReady(reason = ''): void {
  say(false, String(reason));
}

export function isReady(): boolean {
  return state().isReady && !isShuttingDown();
}

export function whenReady(): Promise<void> {
  const { isReady, waiting } = state();
  return isReady ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve));
}

function say(isReady: boolean, reason: string): void {
  const readiness = state();
  const { hasSpoken, isReady: before, reason: former } = readiness;
  Object.assign(readiness, { isReady, reason, hasSpoken: true });
  if (hasSpoken && isReady === before && reason === former) return;
  tell();
  if (!hasSpoken) bridge()?.whenBack(tell);
}

function tell(): void {
  const { isReady, reason } = state();
  bridge()?.tell({ type: 'readiness', ready: isReady, reason });
}
